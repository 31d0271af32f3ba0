// Reads objects of the Prometheus operator and of the Gateway API as a JSON list and
// prints for each, as a JSON list, what is wrong with it: by the schema of its kind
// (patterns, required keys), and by its type in TypeScript (keys that nobody knows).
// The folder that is given has the packages; ES modules are not looked for elsewhere.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const folder = process.argv[2];
const require = createRequire(pathToFileURL(join(folder, "x.js")));
const ts = require("typescript");
const documents = JSON.parse(readFileSync(0, "utf-8"));

const PACKAGES = {
  "monitoring.coreos.com/v1": "@kubernetes-models/prometheus-operator",
  "gateway.networking.k8s.io/v1": "@kubernetes-models/gateway-api",
};
const home = (document) => `${PACKAGES[document.apiVersion]}/${document.apiVersion}`;

async function bySchema(document) {
  const path = join(folder, "node_modules", home(document), "index.js");
  const models = await import(pathToFileURL(path));
  try {
    new models[document.kind](document).validate();
    return [];
  } catch (error) {
    return [error.message];
  }
}

function byType() {
  const path = join(folder, "documents.ts");
  const source = documents.map(
    (document, at) =>
      `export const d${at}: import("${home(document)}").I${document.kind} = ` +
      JSON.stringify(document) + ";",
  );
  const options = {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
  };
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, getSourceFile } = host;
  const text = source.join("\n");
  host.fileExists = (name) => name === path || fileExists(name);
  host.readFile = (name) => (name === path ? text : readFile(name));
  host.getSourceFile = (name, version) =>
    name === path ? ts.createSourceFile(name, text, version) : getSourceFile(name, version);
  const wrong = documents.map(() => []);
  for (const found of ts.getPreEmitDiagnostics(ts.createProgram([path], options, host))) {
    const line = found.file?.getLineAndCharacterOfPosition(found.start).line ?? 0;
    wrong[line].push(ts.flattenDiagnosticMessageText(found.messageText, " "));
  }
  return wrong;
}

const types = byType();
for (const [at, document] of documents.entries()) {
  console.log(JSON.stringify([...(await bySchema(document)), ...types[at]]));
}
