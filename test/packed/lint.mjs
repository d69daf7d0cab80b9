import { readFileSync } from "node:fs";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";

/** Ways of resolving modules that packages without CommonJS cannot serve. */
const NOT_OURS = ["node10", "node16-cjs"];

/** Checks tarballs, `{ name: path }`, with publint and attw. Both run here: their own processes cost seconds each. */
export async function lintTarballs(tarballs) {
  const problems = [];
  for (const [name, path] of Object.entries(tarballs)) {
    const tarball = new Uint8Array(readFileSync(path));
    for (const problem of [...(await findManifestMistakes(tarball)), ...(await findTypeMistakes(tarball))])
      problems.push(`${name}: ${problem}`);
  }
  return { ok: problems.length === 0, output: problems.map((problem) => `${problem}\n`).join("") };
}

async function findManifestMistakes(tarball) {
  const { messages, pkg } = await publint({ pack: { tarball: tarball.buffer }, strict: true });
  return messages.map((message) => `${message.type}: ${formatMessage(message, pkg, { color: false })}`);
}

async function findTypeMistakes(tarball) {
  const { types, problems = [] } = await checkPackage(createPackageFromTarballData(tarball));
  if (!types) return ["the tarball has no types"];
  return problems
    .filter(({ resolutionKind }) => !NOT_OURS.includes(resolutionKind))
    .map((problem) => JSON.stringify(problem));
}
