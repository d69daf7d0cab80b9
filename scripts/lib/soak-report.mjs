import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { exec } from "./exec.mjs";
import { at, projectNode } from "./project.mjs";

const HEAD = ["# Soak report", "", "Written by `npm run soak`, one section for each soak; do not edit.", ""];

/** Replaces the section of one soak test in docs/soak-report.md. */
export async function writeSoakReport(name, result, notesFile) {
  const path = at("docs", "soak-report.md");
  const sections = new Map(existsSync(path) ? sectionsOf(readFileSync(path, "utf8")) : []);
  sections.set(name, await sectionOf(name, result, notesFile));
  const sorted = [...sections.keys()].sort().map((key) => sections.get(key));
  writeFileSync(path, `${[...HEAD, ...sorted].join("\n").trimEnd()}\n`);
}

function sectionsOf(text) {
  const [, ...sections] = text.split(/^(?=## )/m);
  return sections.map((section) => [/^## (.*)$/m.exec(section)[1], `${section.trimEnd()}\n`]);
}

async function sectionOf(name, { passed, failed, skipped, report }, notesFile) {
  const node = await exec(projectNode(), ["--version"]);
  const memory = Math.round(totalmem() / 2 ** 30);
  const rows = report.testResults.flatMap(({ assertionResults }) =>
    assertionResults.map(
      ({ fullName, status, duration = 0 }) => `| ${cell(fullName)} | ${status} | ${took(duration)} |`,
    ),
  );
  const date = new Date().toISOString().slice(0, 10);
  return [
    `## ${name}`,
    "",
    `${date}, ${cpus().length} cores, ${memory} GB memory, ${process.platform}, Node ${node.output.trim()}: ${passed} passed, ${failed} failed, ${skipped} skipped`,
    "",
    "| Test | Result | Time |",
    "| --- | --- | --- |",
    ...rows,
    "",
    ...notes(notesFile),
  ].join("\n");
}

function notes(file) {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "");
  return [...lines.map((line) => `- ${line}`), ""];
}

const cell = (text) => text.replaceAll("|", "\\|");
const took = (ms) => (ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : `${(ms / 60_000).toFixed(1)} min`);
