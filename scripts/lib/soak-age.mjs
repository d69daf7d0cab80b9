import { commitsSince, hasHistory } from "./history.mjs";
import { root } from "./project.mjs";
import { readSoakReport } from "./soak-report.mjs";
import { commitOf, hadChanges, hasFailed, sectionsOf } from "./soak-section.mjs";
import { SOAKS, soakCommand } from "./soaks.mjs";

/** So many commits to the code that a soak speaks for make its section out of date. */
export const MOST_COMMITS = 150;

/**
 * Finds sections of the report that prove little about the code of today: they failed, ran with changes that
 * are in no commit, are of unknown age, or the code has changed too often since. Soaks without a section
 * claim nothing, and come separately.
 *
 * @param {string} report the text of docs/soak-report.md
 * @param {(commit: string, paths: readonly string[]) => number | undefined} since counts the commits that
 * changed one of the paths, or returns undefined for an unknown commit
 * @returns {{ outdated: string[], absent: string[] }} one line for each
 */
export function findOldSoaks(report, since, soaks = SOAKS) {
  const sections = sectionsOf(report);
  const outdated = [...sections].flatMap(([name, section]) => {
    const problem = problemOf(section, soaks[name], since);
    return problem === undefined ? [] : [`${name}: ${problem}`];
  });
  const absent = Object.keys(soaks).filter((name) => !sections.has(name));
  return {
    outdated,
    absent: absent.map((name) => `${name}: no section; \`${soakCommand(name)}\` writes it`),
  };
}

function problemOf(section, paths, since) {
  if (paths === undefined) return "no longer a soak";
  if (hasFailed(section)) return "failed";
  if (hadChanges(section)) return "ran with uncommitted changes";
  const commit = commitOf(section);
  const count = commit === undefined ? undefined : since(commit, paths);
  if (count === undefined) return "of unknown age";
  return count > MOST_COMMITS ? `overtaken by ${count} commits since ${commit}` : undefined;
}

/** Judges the report of a working tree: lines to print, and whether every section is up to date. */
export function judgeSoakReport(folder = root) {
  if (!hasHistory(folder)) {
    return { ok: false, lines: ["soak report: its age is unknown, because git's history is not here"] };
  }
  const { outdated, absent } = findOldSoaks(readSoakReport(folder), (commit, paths) =>
    commitsSince(commit, paths, folder),
  );
  const summary = `soak report: ${outdated.length} sections out of date, ${absent.length} missing`;
  return {
    ok: outdated.length === 0,
    lines: [summary, ...[...outdated, ...absent].map((line) => `  ${line}`)],
  };
}
