import { LIMITS } from "./limits.mjs";
import { LEGEND } from "./promises.mjs";

const COLUMNS = ["id", "what", "promised", "measured", "where", "tests allow", "state"];

/**
 * Checks the table of numbers in docs/promises.md. Its states say openly what is missed:
 *
 * - `kept`: neither what was measured nor what tests allow is worse than what was promised
 * - `**missed**`: one of them is
 * - `not measured`
 * - `reported`: there is a measurement, and no number was promised
 *
 * What tests allow is a limit of scripts/lib/limits.mjs and its name. Each limit has a row. A promise that
 * has numbers in the table has none in its sentence, so that they cannot differ.
 *
 * @param {string} page
 * @param {Readonly<Record<string, number>>} limits
 * @returns {{ file: string, line: number, message: string }[]}
 */
export function findWrongNumbers(page, limits = LIMITS) {
  const rows = page.split("\n").flatMap(rowOf);
  const numbers = rows.filter(({ cells }) => cells.length === COLUMNS.length);
  const promises = new Map(rows.filter(({ cells }) => cells.length === 2).map((row) => [row.cells[0], row]));
  const problems = numbers.flatMap(({ line, cells }) => {
    const problem = promises.has(cells[0])
      ? problemOf(cells, limits)
      : `${cells[0]} is no promise of this page`;
    return problem === undefined ? [] : [{ line, message: problem }];
  });
  for (const { cells } of new Map(numbers.map((row) => [row.cells[0], row])).values()) {
    const promise = promises.get(cells[0]);
    if (promise === undefined || !/\d/.test(promise.cells[1])) continue;
    problems.push({
      line: promise.line,
      message: `${cells[0]} has its numbers in the table below, and not here`,
    });
  }
  for (const name of Object.keys(limits)) {
    if (numbers.some(({ cells }) => cells[5].includes(`\`${name}\``))) continue;
    problems.push({ line: 1, message: `the limit \`${name}\` of scripts/lib/limits.mjs has no row` });
  }
  return problems.map(({ line, message }) => ({ file: LEGEND, line, message }));
}

/** Returns a line's cells if it is a row about a promise. */
function rowOf(content, index) {
  if (!/^\| *[A-Z]\d{1,2} *\|.*\|\s*$/.test(content)) return [];
  const cells = content
    .trim()
    .slice(1, -1)
    .split(/(?<!\\)\|/);
  return [{ line: index + 1, cells: cells.map((cell) => cell.trim()) }];
}

function problemOf([, what, promised, measured, , allowed, state], limits) {
  const name = /`(\w+)`/.exec(allowed)?.[1];
  const [wanted, found, limit] = [promised, measured, allowed].map(amountOf);
  if (limit !== undefined && (name === undefined || limits[name] !== limit.number)) {
    return `"${what}" says that tests allow ${allowed}, but the limit is ${limits[name] ?? "not in limits.mjs"}`;
  }
  const units = new Set([wanted, found, limit].filter((one) => one !== undefined).map(({ unit }) => unit));
  if (units.size > 1) return `"${what}" mixes units: ${[...units].join(", ")}`;
  const right = stateOf(wanted, found, limit);
  return state === right ? undefined : `"${what}" is ${right}, and not ${state}`;
}

function stateOf(promised, measured, allowed) {
  if (measured === undefined) return "not measured";
  if (promised === undefined) return "reported";
  const isWorse = ({ number }) => (promised.atLeast ? number < promised.number : number > promised.number);
  return isWorse(measured) || (allowed !== undefined && isWorse(allowed)) ? "**missed**" : "kept";
}

/** Reads an amount at the beginning of a cell, e.g. `11 kB`, `0.55` or `at least 10,000 workers`. */
function amountOf(cell) {
  const [, atLeast, digits, unit] = /^(at least )?(\d[\d,]*(?:\.\d+)?)(?: ([^\s,;()]+))?/.exec(cell) ?? [];
  if (digits === undefined) return undefined;
  return { atLeast: atLeast !== undefined, number: Number(digits.replaceAll(",", "")), unit: unit ?? "" };
}
