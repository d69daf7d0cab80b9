import { posix } from "node:path";
import { linksOf } from "./links.mjs";
import { REPOSITORY } from "./repository.mjs";

/** What npm puts into every tarball, whatever `files` says. */
const ALWAYS = ["package.json", "README.md", "LICENSE"];

/** The Node versions that Pawl supports. */
const NODE = ">=22.18";

/** Packages that browsers load have no `engines`: package managers would warn or fail in builds of pages. */
const FOR_BROWSERS = ["@pawl/client"];

/**
 * Finds what keeps a package from being published well: missing metadata and files, and links of its pages
 * that lead nowhere on npm.
 *
 * @param {string} folder relative to the root, e.g. `packages/core`
 * @param {Record<string, any>} manifest its package.json
 * @param {ReadonlyMap<string, string>} texts its README.md, CHANGELOG.md and LICENSE, by name
 * @param {string} license the text of the project's LICENSE
 * @returns {{ file: string, line: number, message: string }[]}
 */
export function findUnpublishable(folder, manifest, texts, license) {
  const engines = FOR_BROWSERS.includes(manifest.name) ? undefined : NODE;
  const wanted = [
    ["keywords", manifest.keywords?.length > 0, "must name at least one keyword"],
    ...equal("homepage", manifest.homepage, `${REPOSITORY}/tree/main/${folder}#readme`),
    ...equal("bugs", manifest.bugs, `${REPOSITORY}/issues`),
    ...equal("author", manifest.author, "The Pawl authors"),
    ...equal("license", manifest.license, "MIT"),
    ...equal("repository.url", manifest.repository?.url, `git+${REPOSITORY}.git`),
    ...equal("repository.directory", manifest.repository?.directory, folder),
    ...equal("engines.node", manifest.engines?.node, engines),
    ...equal("scripts.prepack", manifest.scripts?.prepack, "node ../../scripts/only-pnpm.mjs"),
    ["files", manifest.files?.includes("CHANGELOG.md"), 'must include "CHANGELOG.md"'],
  ];
  const problems = wanted
    .filter(([, isMet]) => !isMet)
    .map(([field, , message]) => ({
      file: `${folder}/package.json`,
      line: 1,
      message: `${field} ${message}`,
    }));
  if (texts.get("LICENSE") !== license) {
    problems.push({ file: `${folder}/LICENSE`, line: 1, message: "must be a copy of the root's LICENSE" });
  }
  const packed = [...ALWAYS, ...(manifest.files ?? [])];
  return [
    ...problems,
    ...["README.md", "CHANGELOG.md"].flatMap((page) => ofPage(folder, page, texts, packed)),
  ];
}

function equal(field, actual, expected) {
  const message = expected === undefined ? "must be absent" : `must be "${expected}"`;
  return [[field, actual === expected, `${message}; it is ${JSON.stringify(actual)}`]];
}

function ofPage(folder, page, texts, packed) {
  const file = `${folder}/${page}`;
  const text = texts.get(page);
  if (text === undefined) return [{ file, line: 1, message: "is missing" }];
  return text.split("\n").flatMap((content, index) =>
    linksOf(content)
      .filter((link) => !/^(?:[a-z][a-z+.-]*:|#)/.test(link))
      .filter((link) => !packed.includes(posix.normalize(link).split(/[/#]/)[0]))
      .map((link) => ({
        file,
        line: index + 1,
        message: `"${link}" is not in the package: link to ${REPOSITORY}/blob/main/…`,
      })),
  );
}
