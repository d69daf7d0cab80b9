import { glob, readFile } from "node:fs/promises";
import {
  DeclarationReflection,
  type FileId,
  FileRegistry,
  type NormalizedPath,
  ProjectReflection,
  ReflectionKind,
  SourceReference,
} from "typedoc";
import { expect, test } from "vitest";
import { doorsOf, packageDoors } from "../scripts/lib/doors.mjs";
import { at } from "../scripts/lib/project.mjs";
import { headingsOf } from "../scripts/lib/site/headings.mjs";
import { pagesOf } from "../scripts/lib/site/pages.mjs";
import { leadOutside, leadToNames } from "../scripts/lib/site/plugin.mjs";

const exportsOf = (entries: readonly string[]) =>
  Object.fromEntries(
    entries.map((entry) => [
      entry,
      { "@pawl/source": `./src/${entry === "." ? "index" : entry.slice(2)}.ts` },
    ]),
  );

test("every entry of a package is a door, called by what applications import", () => {
  const manifest = {
    name: "@pawl/core",
    exports: { ...exportsOf([".", "./inspect"]), "./package.json": "./package.json" },
  };
  expect(doorsOf(manifest, "packages/core")).toEqual([
    { name: "@pawl/core", folder: "packages/core", file: "packages/core/src/index.ts" },
    { name: "@pawl/core/inspect", folder: "packages/core", file: "packages/core/src/inspect.ts" },
  ]);
});

test("an entry without a source is refused, so that the site and the checks forget none", () => {
  const manifest = { name: "@pawl/core", exports: { "./new": { default: "./dist/new.js" } } };
  expect(() => doorsOf(manifest, "packages/core")).toThrow('"./new" of @pawl/core names no "@pawl/source"');
});

test("the packages have doors", () => {
  const names = packageDoors().map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(["@pawl/core", "@pawl/core/inspect", "@pawl/sse/fastify"]));
});

test("a comment between blank lines is the heading of the exports below it", () => {
  const text = `"use client";

// The entry \`@pawl/core\`: what applications use.

// Agents, and running them

export { type A, a as b } from "./a.ts";
export type { C } from "./c.ts";

// Tools

// A remark.
export { d } from "./d.ts";
export { e } from "./e.ts";

// Hooks

export { f } from "./f.ts";
`;
  expect([...headingsOf(text)]).toEqual([
    ["Agents, and running them", ["A", "b", "C"]],
    ["Tools", ["d", "e"]],
    ["Hooks", ["f"]],
  ]);
});

test("sentences are no headings", () => {
  expect([
    ...headingsOf("// The entry of the disk. It imports\n// Node.\nexport { a } from './a.ts';"),
  ]).toEqual([]);
  expect([...headingsOf("// One line of prose.\n\nexport { a } from './a.ts';")]).toEqual([]);
});

test("links to files without a page lead to the repository, every time, and images stay", () => {
  const files = new FileRegistry();
  const project = new ProjectReflection("Pawl", files);
  const linkTo = (path: string, targetAnchor?: string) => {
    const { target } = files.registerAbsolute(at(path) as NormalizedPath);
    return { kind: "relative-link" as const, text: path, target, targetAnchor };
  };
  const image = linkTo("docs/a.png");
  const page = linkTo("packages/core");
  files.registerReflectionPath(at("packages/core") as NormalizedPath, project);
  project.readme = [linkTo("AGENTS.md"), image, page, linkTo("AGENTS.md", "rules")];
  leadOutside(project);

  const agents = "https://github.com/pawl-js/pawl/blob/main/AGENTS.md";
  expect(project.readme.map(({ kind, text }) => [kind, text])).toEqual([
    ["text", agents],
    ["relative-link", "docs/a.png"],
    ["relative-link", "packages/core"],
    ["text", `${agents}#rules`],
  ]);
  expect([...files.getMediaPaths()]).toEqual([at("docs/a.png")]);
});

/** Returns a door with one public name of a source file. */
function doorWith(project: ProjectReflection, door: string, name: string, file: string) {
  const module = new DeclarationReflection(door, ReflectionKind.Module, project);
  const child = new DeclarationReflection(name, ReflectionKind.Function, module);
  child.sources = [new SourceReference(at(file) as NormalizedPath, 1, 1)];
  module.addChild(child);
  project.addChild(module);
  project.registerReflection(child, undefined, undefined);
  return child;
}

test("a link to a source file leads to the public name that it is called by, if the file declares it", () => {
  const files = new FileRegistry();
  const project = new ProjectReflection("Pawl", files);
  const approval = doorWith(project, "@pawl/core", "approval", "src/approval.ts");
  const other = doorWith(project, "@pawl/sse", "handler", "src/handler.ts");
  const linkTo = (name: string, path: string) => [
    { kind: "code" as const, text: `\`${name}\`` },
    { kind: "text" as const, text: "](" },
    {
      kind: "relative-link" as const,
      text: path,
      target: files.registerAbsolute(at(path) as NormalizedPath).target,
      targetAnchor: undefined,
    },
  ];
  project.readme = [
    ...linkTo("approval()", "src/approval.ts"),
    ...linkTo("handler", "src/handler.ts"),
    ...linkTo("handler()", "src/another.ts"),
    ...linkTo("decide", "src/approval.ts"),
    ...linkTo("constructor", "src/approval.ts"),
  ];
  leadToNames(project);

  const targets = project.readme
    .filter(({ kind }) => kind === "relative-link")
    .map((part) => files.resolve((part as { target: FileId }).target, project));
  const source = at("src/approval.ts");
  expect(targets).toEqual([approval, other, at("src/another.ts"), source, source]);
});

test("guides call every source file that they link to by a public name, so that the site finds its page", async () => {
  for await (const path of glob("docs/guide/*.md", { cwd: at() })) {
    const links = (await readFile(at(path), "utf8")).matchAll(/\[([^\]]*)\]\([./]*packages\/\w+\/src\//g);
    for (const [, name = ""] of links)
      expect([path, name]).toEqual([path, expect.stringMatching(/^`[\w@/]+(\(\))?`$/)]);
  }
});

test("pages are in the order in which their folder's README links to them", () => {
  const guide = ["README", "extra", "hooks", "start"].map((name) => `docs/guide/${name}.md`);
  const files = ["README.md", "docs/glossary.md", ...guide, "docs/promises.md", "docs/guide/a.png"];
  const text = "Begin with [this](start.md), then [hooks](hooks.md#when).\n\n[words](../glossary.md)";
  expect(pagesOf(files, () => text)).toEqual([
    "docs/guide/README.md",
    "docs/guide/start.md",
    "docs/guide/hooks.md",
    "docs/glossary.md",
    "docs/guide/extra.md",
  ]);
});

test("a site without guides has the other pages", () => {
  expect(pagesOf(["docs/glossary.md"], () => "")).toEqual(["docs/glossary.md"]);
});
