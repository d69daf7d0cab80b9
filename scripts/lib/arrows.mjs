import { posix } from "node:path";
import ts from "typescript";

/** The packages that each package may import. The default is core. */
const EXTRA_TARGETS = {
  "@pawl/core": [],
  "@pawl/cli": ["@pawl/core", "@pawl/sse"],
  "@pawl/cloudflare": ["@pawl/core", "@pawl/sqlite", "@pawl/sse"],
  "@pawl/supabase": ["@pawl/core", "@pawl/postgres"],
};
const DEFAULT_TARGETS = ["@pawl/core"];
/**
 * These packages may import only core's main entry and its entry for authors of hooks and tools. That proves
 * that the loop can be extended from outside.
 */
const EXTENSIONS = ["@pawl/knowledge", "@pawl/planning"];
const TESTING = "@pawl/testing";
const PUBLISHED = ["dependencies", "peerDependencies", "optionalDependencies"];

const targetsOf = (name) => EXTRA_TARGETS[name] ?? DEFAULT_TARGETS;

/**
 * Finds imports and dependencies that point the wrong way.
 *
 * @param {ReadonlyMap<string, string>} files text by path, relative to the root: sources and
 * package.json files
 * @returns {{ file: string, line: number, message: string }[]}
 */
export function findWrongArrows(files) {
  const packages = readPackages(files);
  const problems = packages.flatMap(wrongDependencies);
  for (const [file, text] of files) {
    if (!/\.[cm]?[jt]sx?$/.test(file)) continue;
    const place = placeOf(file, packages);
    for (const { fileName, pos } of ts.preProcessFile(text, true, true).importedFiles) {
      const message = wrongImport(fileName, place, packages);
      if (message) problems.push({ file, line: text.slice(0, pos).split("\n").length, message });
    }
  }
  return problems;
}

function readPackages(files) {
  return [...files]
    .filter(([path]) => /^(packages|examples)\/[^/]+\/package\.json$/.test(path))
    .map(([path, text]) => ({ folder: posix.dirname(path), path, text, manifest: JSON.parse(text) }));
}

/** Returns a file's package, and whether the file is published (`src` of a package) or a test. */
function placeOf(file, packages) {
  const owner = packages.find(({ folder }) => file.startsWith(`${folder}/`));
  const ships = owner?.folder.startsWith("packages/") && file.startsWith(`${owner.folder}/src/`);
  const tests = file.startsWith("test/") || file.startsWith(`${owner?.folder}/test/`);
  return { file, owner, name: owner?.manifest.name, ships, tests, example: file.startsWith("examples/") };
}

function wrongImport(specifier, place, packages) {
  if (specifier.startsWith(".")) return wrongRelative(specifier, place);
  if (specifier.startsWith("node:") || !place.owner) return deepImport(specifier, packages);
  const name = specifier.match(/^(@[^/]+\/)?[^/]+/)[0];
  if (!packages.some(({ manifest }) => manifest.name === name)) return undeclared(name, place);
  return wrongTarget(name, specifier, place) ?? deepImport(specifier, packages) ?? undeclared(name, place);
}

function wrongRelative(specifier, { file, owner, ships, tests }) {
  if (!owner || tests) return undefined;
  const target = posix.join(posix.dirname(file), specifier);
  const home = ships ? `${owner.folder}/src/` : `${owner.folder}/`;
  if (target.startsWith(home)) return undefined;
  return `"${specifier}" leaves ${home.slice(0, -1)}; import the other package by its name`;
}

function wrongTarget(target, specifier, { name, ships, tests, example }) {
  if (example) return undefined;
  if (ships && target === name) return `${name} imports itself by its name; use a relative path`;
  if (ships && target === TESTING) return `${TESTING} is for tests; shipped code must not import it`;
  const allowed = tests ? [name, TESTING, ...targetsOf(name)] : targetsOf(name);
  if (!allowed.includes(target)) return `${name} must not know ${target}${hint(allowed)}`;
  if (ships && EXTENSIONS.includes(name) && ![target, `${target}/tools`].includes(specifier)) {
    return `${name} uses only the main entry and /tools of ${target}, not "${specifier}"`;
  }
  return undefined;
}

const hint = (allowed) =>
  allowed.length > 0 ? `; it may use ${allowed.join(", ")}` : ", and nothing else of ours";

/** Reports imports of files that a package's `exports` do not list, e.g. its sources. */
function deepImport(specifier, packages) {
  const target = packages.find(({ manifest: { name } }) => `${specifier}/`.startsWith(`${name}/`));
  if (!target || specifier === target.manifest.name) return undefined;
  const wanted = `.${specifier.slice(target.manifest.name.length)}`;
  const named = Object.keys(target.manifest.exports ?? {}).some((key) => {
    const [start, end] = key.split("*");
    return end === undefined ? wanted === key : wanted.startsWith(start) && wanted.endsWith(end);
  });
  return named ? undefined : `"${specifier}" is not among the exports of ${target.manifest.name}`;
}

/** Reports imports of published code that are missing from the package's dependencies. */
function undeclared(name, { owner, ships, name: ownName }) {
  if (!ships || name === ownName || PUBLISHED.some((kind) => owner.manifest[kind]?.[name])) return undefined;
  return `${name} is not among the dependencies or peerDependencies of ${ownName}`;
}

function wrongDependencies({ path, text, manifest }) {
  if (!path.startsWith("packages/")) return [];
  const { name } = manifest;
  const problem = (target, message) => {
    const before = text.slice(0, text.indexOf(`"${target}":`));
    return { file: path, line: before.split("\n").length, message };
  };
  return [...PUBLISHED, "devDependencies"].flatMap((kind) =>
    Object.keys(manifest[kind] ?? {})
      .filter((target) => target.startsWith("@pawl/") && !targetsOf(name).includes(target))
      .filter((target) => kind !== "devDependencies" || target !== TESTING || name === "@pawl/core")
      .map((target) => problem(target, `${name} must not list ${target} in ${kind}${hint(targetsOf(name))}`)),
  );
}
