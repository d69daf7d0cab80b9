#!/usr/bin/env node
import { problemWithNode } from "./node-version.ts";

const problem = problemWithNode(process.versions.node);
if (problem === undefined) {
  // Imported now only: an older Node cannot load it.
  const { run } = await import("./run.ts");
  run(process.argv.slice(2));
} else {
  console.error(problem);
  process.exitCode = 1;
}
