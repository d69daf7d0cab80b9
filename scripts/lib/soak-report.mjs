import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { relative } from "node:path";
import { exec } from "./exec.mjs";
import { at, projectNode, root } from "./project.mjs";

/** Writes docs/soak-report.md from vitest's JSON report and from the lines that the tests wrote. */
export async function writeSoakReport({ passed, failed, skipped, report }, notesFile) {
  const node = await exec(projectNode(), ["--version"]);
  const memory = Math.round(totalmem() / 2 ** 30);
  const lines = [
    "# Soak report",
    "",
    "Written by `npm run soak`; do not edit.",
    "",
    `- Date: ${new Date().toISOString().slice(0, 10)}`,
    `- Machine: ${cpus().length} cores, ${memory} GB memory, ${process.platform}, Node ${node.output.trim()}`,
    `- Tests: ${passed} passed, ${failed} failed, ${skipped} skipped`,
    "",
    ...report.testResults.flatMap(fileSection),
    ...notes(notesFile),
  ];
  writeFileSync(at("docs", "soak-report.md"), `${lines.join("\n").trimEnd()}\n`);
}

function fileSection({ name, assertionResults }) {
  const rows = assertionResults.map(
    ({ fullName, status, duration = 0 }) => `| ${cell(fullName)} | ${status} | ${took(duration)} |`,
  );
  return [`## ${relative(root, name)}`, "", "| Test | Result | Time |", "| --- | --- | --- |", ...rows, ""];
}

function notes(file) {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "");
  return ["## Numbers", "", ...lines.map((line) => `- ${line}`)];
}

const cell = (text) => text.replaceAll("|", "\\|");
const took = (ms) => (ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : `${(ms / 60_000).toFixed(1)} min`);
