import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { findUnpublishable } from "../scripts/lib/manifests.mjs";

const REPOSITORY = "https://github.com/pawl-js/pawl";
const manifest = {
  name: "@pawl/core",
  keywords: ["agents"],
  homepage: `${REPOSITORY}/tree/main/packages/core#readme`,
  bugs: `${REPOSITORY}/issues`,
  author: "The Pawl authors",
  license: "MIT",
  repository: { url: `git+${REPOSITORY}.git`, directory: "packages/core" },
  engines: { node: ">=22.18" },
  files: ["CHANGELOG.md", "dist", "src"],
  scripts: { prepack: "node ../../scripts/only-pnpm.mjs" },
};
const texts = { "README.md": "# Core\n", "CHANGELOG.md": "# @pawl/core\n", LICENSE: "MIT" };

/** The findings in a package that differs from a good one by `changed` and `pages`. */
function found(changed: object, pages: Record<string, string> = {}): string[] {
  const all = new Map(Object.entries({ ...texts, ...pages }));
  const findings = findUnpublishable("packages/core", { ...manifest, ...changed }, all, "MIT");
  return findings.map(({ file, line, message }) => `${file}:${line}: ${message}`);
}

test("a complete package is fine", () => {
  expect(found({}, { "README.md": "[log](src/log.ts), [here](#core), [all](CHANGELOG.md)" })).toEqual([]);
});

test.each([
  ["no keywords", { keywords: [] }, "keywords must name at least one keyword"],
  ["no homepage", { homepage: undefined }, `homepage must be "${manifest.homepage}"; it is undefined`],
  [
    "the folder of another package",
    { repository: { ...manifest.repository, directory: "packages/sse" } },
    "",
  ],
  ["another Node", { engines: { node: ">=20" } }, 'engines.node must be ">=22.18"; it is ">=20"'],
  ["engines though pages load it", { name: "@pawl/client" }, 'engines.node must be absent; it is ">=22.18"'],
  ["a tarball that npm may make", { scripts: {} }, "scripts.prepack must be"],
  ["no changelog in the tarball", { files: ["dist"] }, 'files must include "CHANGELOG.md"'],
])("a package with %s is reported", (_, changed, message) => {
  const findings = found(changed);
  expect(findings).toHaveLength(1);
  expect(findings[0]).toContain(`packages/core/package.json:1: ${message}`);
});

test.each(["../../README.md", "test/a.test.ts", "../sse/README.md#routes"])(
  "a link to %s, which npm does not have, is reported",
  (link) => {
    const message = `packages/core/README.md:2: "${link}" is not in the package: link to ${REPOSITORY}/blob/main/…`;
    expect(found({}, { "README.md": `\n[a](${link})` })).toEqual([message]);
    expect(found({}, { "README.md": `\n[a]: ${link}` })).toEqual([message]);
  },
);

test("a license of its own is reported", () => {
  expect(found({}, { LICENSE: "" })).toEqual([
    "packages/core/LICENSE:1: must be a copy of the root's LICENSE",
  ]);
});

/** What `prepack` does when it is run by the package manager with this user agent. */
function prepack(agent: string | undefined) {
  const { npm_config_user_agent: _, ...others } = process.env;
  const env = agent === undefined ? others : { ...others, npm_config_user_agent: agent };
  const { status, stderr } = spawnSync(process.execPath, ["scripts/only-pnpm.mjs"], {
    env,
    encoding: "utf8",
  });
  return { status, stderr };
}

test("pnpm may pack a package", () => {
  expect(prepack("pnpm/12.21.0 npm/? node/v24.21.0 linux x64")).toEqual({ status: 0, stderr: "" });
});

test.each(["npm/11.19.1 node/v24.21.0", "yarn/4.9.0 npm/? node/v24.21.0", undefined])(
  "%s may not pack a package",
  (agent) => {
    const { status, stderr } = prepack(agent);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^This package is packed and published by pnpm only, .*`pnpm publish`.*\n$/);
  },
);

test("npm runs that script, and packs nothing", () => {
  const { status, stderr } = spawnSync("npm", ["pack", "--dry-run"], {
    cwd: "packages/core",
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  expect(status).toBe(1);
  expect(stderr).toContain("This package is packed and published by pnpm only, because npm/");
});
