{{/* The name that every object begins with: 47 characters leave room for what follows. */}}
{{- define "answerprobe.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 47 | trimSuffix "-" -}}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if contains $name .Release.Name -}}
{{- .Release.Name | trunc 47 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 47 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* What tells this release's daemon from everything else. Rules and dashboards look for
the job `answerprobe`, which monitors take from the first label: no value changes it. */}}
{{- define "answerprobe.selector" -}}
app.kubernetes.io/name: answerprobe
app.kubernetes.io/instance: {{ .Release.Name | quote }}
app.kubernetes.io/component: daemon
{{- end -}}

{{/* Labels of an object: ours, then its *own*, then the common ones.
(dict "root" $ "own" .Values.x.labels) */}}
{{- define "answerprobe.labels" -}}
{{- $ours := include "answerprobe.selector" .root | fromYaml -}}
{{- $_ := set $ours "helm.sh/chart" (printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-") -}}
{{- $_ := set $ours "app.kubernetes.io/version" .root.Chart.AppVersion -}}
{{- $_ := set $ours "app.kubernetes.io/managed-by" .root.Release.Service -}}
{{- toYaml (merge $ours (.own | default dict) (.root.Values.commonLabels | default dict)) -}}
{{- end -}}

{{/* Those of the pod: none that a new version of the chart alone would change. */}}
{{- define "answerprobe.podLabels" -}}
{{- toYaml (merge (include "answerprobe.selector" . | fromYaml) (.Values.podLabels | default dict) (.Values.commonLabels | default dict)) -}}
{{- end -}}

{{- define "answerprobe.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "answerprobe.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- define "answerprobe.image" -}}
{{- $image := .Values.image -}}
{{- if $image.digest -}}
{{- printf "%s@%s" $image.repository $image.digest -}}
{{- else -}}
{{- printf "%s:%s" $image.repository (default .Chart.AppVersion $image.tag) -}}
{{- end -}}
{{- end -}}

{{- define "answerprobe.configSecret" -}}
{{- default (printf "%s-config" (include "answerprobe.fullname" .)) .Values.configSecret -}}
{{- end -}}

{{- define "answerprobe.webSecret" -}}
{{- default (printf "%s-web" (include "answerprobe.fullname" .)) .Values.web.existingSecret -}}
{{- end -}}

{{- define "answerprobe.storageSecret" -}}
{{- default (printf "%s-storage" (include "answerprobe.fullname" .)) .Values.storage.existingSecret -}}
{{- end -}}

{{/* "yes" or nothing, as all the questions below. */}}
{{- define "answerprobe.onPostgres" -}}
{{- if or .Values.storage.url .Values.storage.existingSecret }}yes{{ end -}}
{{- end -}}

{{- define "answerprobe.hasWebConfig" -}}
{{- if or .Values.web.config .Values.web.existingSecret }}yes{{ end -}}
{{- end -}}

{{- define "answerprobe.tls" -}}
{{- if or .Values.web.tls (get (.Values.web.config | default dict) "tls_server_config") }}yes{{ end -}}
{{- end -}}

{{/* Whether a client without a certificate is refused, the kubelet among them. */}}
{{- define "answerprobe.wantsCertificates" -}}
{{- $tls := get (.Values.web.config | default dict) "tls_server_config" | default dict -}}
{{- if or .Values.web.clientCertificates (hasPrefix "Require" (get $tls "client_auth_type" | default "")) }}yes{{ end -}}
{{- end -}}

{{- define "answerprobe.claim" -}}
{{- if and .Values.storage.persistence.enabled (not (include "answerprobe.onPostgres" .)) }}yes{{ end -}}
{{- end -}}

{{/* What comes before every path: nothing, or /prefix. */}}
{{- define "answerprobe.prefix" -}}
{{- $path := .Values.web.routePrefix -}}
{{- if and (not $path) .Values.web.externalUrl -}}
{{- $path = get (urlParse .Values.web.externalUrl) "path" -}}
{{- end -}}
{{- with $path | default "" | trimAll "/" }}/{{ . }}{{ end -}}
{{- end -}}

{{/* A duration of the configuration, such as 1m30s, in seconds. */}}
{{- define "answerprobe.seconds" -}}
{{- $units := dict "ms" 0.001 "s" 1.0 "m" 60.0 "h" 3600.0 "d" 86400.0 "w" 604800.0 -}}
{{- $sum := 0.0 -}}
{{- range regexFindAll "[0-9]+(\\.[0-9]+)?(ms|[smhdw])" (toString .) -1 -}}
{{- $unit := regexFind "[a-z]+$" . -}}
{{- $sum = addf $sum (mulf (trimSuffix $unit . | float64) (get $units $unit)) -}}
{{- end -}}
{{- $sum -}}
{{- end -}}

{{/* The longest that a sample of *config* may take, in whole seconds. */}}
{{- define "answerprobe.longestSample" -}}
{{- $longest := 0.0 -}}
{{- $everywhere := dig "defaults" "within" "20s" . -}}
{{- range (get . "monitors" | default list) -}}
{{- $here := get . "within" | default $everywhere -}}
{{- range (get . "cases" | default list) -}}
{{- $within := get . "within" | default $here -}}
{{- range (get . "expect" | default list) -}}
{{- if kindIs "map" . -}}
{{- $answered := get . "answered" -}}
{{- if kindIs "map" $answered -}}
{{- $within = get $answered "within" | default $within -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $turns := 1.0 -}}
{{- if kindIs "map" (get . "conversation") -}}
{{- $turns = dig "conversation" "max_turns" 8 . | float64 -}}
{{- end -}}
{{- $longest = maxf $longest (mulf $turns (include "answerprobe.seconds" $within | float64)) -}}
{{- end -}}
{{- end -}}
{{- ceil $longest | int -}}
{{- end -}}

{{- define "answerprobe.graceSeconds" -}}
{{- if not (kindIs "invalid" .Values.shutdownGraceSeconds) -}}
{{- int .Values.shutdownGraceSeconds -}}
{{- else if .Values.configSecret -}}
60
{{- else -}}
{{- add 10 (include "answerprobe.longestSample" .Values.config | int) -}}
{{- end -}}
{{- end -}}

{{- define "answerprobe.terminationSeconds" -}}
{{- if kindIs "invalid" .Values.terminationGracePeriodSeconds -}}
{{- add 15 (include "answerprobe.graceSeconds" . | int) -}}
{{- else -}}
{{- int .Values.terminationGracePeriodSeconds -}}
{{- end -}}
{{- end -}}

{{/* How a probe asks *path*. (dict "root" $ "path" "/-/ready") */}}
{{- define "answerprobe.probe" -}}
{{- if include "answerprobe.wantsCertificates" .root -}}
tcpSocket:
  port: http
{{- else -}}
httpGet:
  path: {{ include "answerprobe.prefix" .root }}{{ .path }}
  port: http
  {{- if include "answerprobe.tls" .root }}
  scheme: HTTPS
  {{- end }}
{{- end -}}
{{- end -}}

{{/* What ServiceMonitor and PodMonitor say of the port. (dict "root" $ "own" .Values.serviceMonitor) */}}
{{- define "answerprobe.endpoint" -}}
port: http
path: {{ include "answerprobe.prefix" .root }}/metrics
{{- with .own.interval }}
interval: {{ . }}
{{- end }}
{{- with .own.scrapeTimeout }}
scrapeTimeout: {{ . }}
{{- end }}
{{- if include "answerprobe.tls" .root }}
scheme: https
tlsConfig:
  {{- toYaml (default (dict "insecureSkipVerify" true) .own.tlsConfig) | nindent 2 }}
{{- end }}
{{- with .own.basicAuth }}
basicAuth:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .own.authorization }}
authorization:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .own.relabelings }}
relabelings:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .own.metricRelabelings }}
metricRelabelings:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* What can't work is refused, with what to do about it. */}}
{{- define "answerprobe.guards" -}}
{{- $values := .Values -}}
{{- if and (gt (int $values.replicas) 1) (not (include "answerprobe.onPostgres" .)) -}}
{{- fail (printf "replicas: %d need PostgreSQL, which they share: set storage.url (postgresql://…) or storage.existingSecret, or replicas: 1" (int $values.replicas)) -}}
{{- end -}}
{{- if and $values.storage.url $values.storage.existingSecret -}}
{{- fail "storage: set one of url and existingSecret" -}}
{{- end -}}
{{- if and $values.configSecret (or $values.lock $values.configFiles) -}}
{{- fail "configSecret: lock and configFiles belong into that Secret, as answerprobe.lock and by their names" -}}
{{- end -}}
{{- range $name, $text := $values.configFiles -}}
{{- if has $name (list "answerprobe.yml" "answerprobe.lock") -}}
{{- fail (printf "configFiles: %s has a value of its own: config, lock" $name) -}}
{{- end -}}
{{- end -}}
{{- if and $values.web.config $values.web.existingSecret -}}
{{- fail "web: set one of config and existingSecret" -}}
{{- end -}}
{{- $hasTls := get ($values.web.config | default dict) "tls_server_config" -}}
{{- if and $values.web.tls (not (or $hasTls $values.web.existingSecret)) -}}
{{- fail "web.tls: it says what web.existingSecret does and switches nothing on: write web.config.tls_server_config" -}}
{{- end -}}
{{- if and $values.web.tlsSecret (not (or $hasTls $values.web.existingSecret)) -}}
{{- fail "web.tlsSecret: it is used where web.config or web.existingSecret names tls.crt and tls.key (tls_server_config)" -}}
{{- end -}}
{{- if and $values.httpRoute.enabled (not $values.httpRoute.parentRefs) -}}
{{- fail "httpRoute.parentRefs: name the Gateway that it belongs to" -}}
{{- end -}}
{{- $budget := $values.podDisruptionBudget -}}
{{- if and $budget.enabled (kindIs "invalid" $budget.minAvailable) (kindIs "invalid" $budget.maxUnavailable) -}}
{{- fail "podDisruptionBudget: set one of minAvailable and maxUnavailable" -}}
{{- end -}}
{{- range $name := list "serviceMonitor" "podMonitor" -}}
{{- $monitor := get $values $name -}}
{{- if and $monitor.enabled $monitor.interval $monitor.scrapeTimeout (gt (include "answerprobe.seconds" $monitor.scrapeTimeout | float64) (include "answerprobe.seconds" $monitor.interval | float64)) -}}
{{- fail (printf "%s.scrapeTimeout: %s is longer than the interval, %s: Prometheus would not scrape" $name $monitor.scrapeTimeout $monitor.interval) -}}
{{- end -}}
{{- end -}}
{{- if and $values.service.nodePort (eq $values.service.type "ClusterIP") -}}
{{- fail "service.nodePort: a Service of type ClusterIP has none: set service.type to NodePort or LoadBalancer" -}}
{{- end -}}
{{- if not (or $values.configSecret $values.config) -}}
{{- fail "config: write the configuration, or name a Secret that has it by configSecret" -}}
{{- end -}}
{{- $grace := include "answerprobe.graceSeconds" . | int -}}
{{- if le (include "answerprobe.terminationSeconds" . | int) $grace -}}
{{- fail (printf "terminationGracePeriodSeconds: %d kills what shutdownGraceSeconds lets go on for %d s" (include "answerprobe.terminationSeconds" . | int) $grace) -}}
{{- end -}}
{{- if not $values.configSecret -}}
{{- $longest := include "answerprobe.longestSample" $values.config | int -}}
{{- if le (include "answerprobe.terminationSeconds" . | int) $longest -}}
{{- fail (printf "terminationGracePeriodSeconds: %d cuts off the longest sample of config, %d s" (include "answerprobe.terminationSeconds" . | int) $longest) -}}
{{- end -}}
{{- end -}}
{{- end -}}
