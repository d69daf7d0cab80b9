import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import { exec } from "./exec.mjs";
import { currentCode } from "./history.mjs";
import { at, projectNode, root } from "./project.mjs";
import { soakSection, withSection } from "./soak-section.mjs";

/** The page that `npm run soak` writes. */
export const REPORT = "docs/soak-report.md";

/** Returns the text of the report. */
export function readSoakReport(folder = root) {
  const path = join(folder, REPORT);
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}

/** Names the code that a soak runs. The report itself does not count, because each soak changes it. */
export const codeOfSoak = () => currentCode([REPORT]);

/** Replaces the section of one soak test. `code` is what {@link codeOfSoak} returned before it began. */
export async function writeSoakReport(name, result, { code, notesFile }) {
  const run = { code, machine: await machine(), notes: readNotes(notesFile) };
  writeFileSync(at(REPORT), withSection(readSoakReport(), name, soakSection(name, result, run)));
}

async function machine() {
  const node = await exec(projectNode(), ["--version"]);
  const memory = Math.round(totalmem() / 2 ** 30);
  const date = new Date().toISOString().slice(0, 10);
  return `${date}, ${cpus().length} cores, ${memory} GB memory, ${process.platform}, Node ${node.output.trim()}`;
}

function readNotes(file) {
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "");
}
