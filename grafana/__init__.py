"""The Grafana dashboards as code; `make dashboards` writes their JSON beside it."""
