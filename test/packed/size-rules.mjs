/** How large a tarball may be, in kB: a sixth more than it was when the limit was set. */
const LIMITS = {
  "@pawl/anthropic": 68,
  "@pawl/cli": 18,
  "@pawl/client": 165,
  "@pawl/cloudflare": 13,
  "@pawl/core": 1240,
  "@pawl/knowledge": 90,
  "@pawl/mcp": 275,
  "@pawl/openai": 65,
  "@pawl/otel": 45,
  "@pawl/pg-boss": 20,
  "@pawl/planning": 140,
  "@pawl/postgres": 2150,
  "@pawl/remote": 80,
  "@pawl/restate": 33,
  "@pawl/sqlite": 55,
  "@pawl/sse": 370,
  "@pawl/supabase": 88,
  "@pawl/testing": 470,
};

/** How far a number in the README may be from the truth. */
const TOLERANCE = 0.05;

/**
 * Finds tarballs beyond their limits, and rows of the README's table of bundles that are missing or more than
 * 5 % off.
 *
 * @param {Record<string, number>} tarballs bytes, by package
 * @param {Record<string, { minified: number, compressed: number }>} bundles bytes, by the row's first cell
 * @param {string} readme
 * @param {Record<string, number>} limits kB, by package
 * @returns {string[]}
 */
export function findWrongSizes(tarballs, bundles, readme, limits = LIMITS) {
  const large = Object.entries(tarballs).flatMap(([name, bytes]) => {
    const limit = limits[name];
    if (limit === undefined) return [`${name} has no limit in test/packed/size-rules.mjs: add one`];
    return bytes > limit * 1000 ? [`the tarball of ${name} has ${kB(bytes)}, ${limit} kB are allowed`] : [];
  });
  const untrue = Object.entries(bundles).flatMap(([label, { minified, compressed }]) => {
    const row = readme.split("\n").find((line) => line.startsWith(`| ${label} |`));
    const numbers = row?.slice(label.length + 2).match(/^ \| ([\d.]+) kB \| ([\d.]+) kB \|$/);
    const isTrue =
      numbers && isNear(Number(numbers[1]) * 1000, minified) && isNear(Number(numbers[2]) * 1000, compressed);
    if (isTrue) return [];
    return [
      `README.md must have this row:\n| ${label} | ${kB(minified)} | ${kB(compressed)} |\nIt has:\n${row}`,
    ];
  });
  return [...large, ...untrue];
}

const isNear = (stated, actual) => Math.abs(stated - actual) <= actual * TOLERANCE;

const kB = (bytes) => `${bytes < 50_000 ? (bytes / 1000).toFixed(1) : Math.round(bytes / 1000)} kB`;
