import { existsSync, readFileSync } from "node:fs";
import { relative } from "node:path";
import { Comment, CommentTag, Converter, MinimalSourceFile, ReflectionKind } from "typedoc";
import { at, root } from "../project.mjs";
import { REPOSITORY } from "../repository.mjs";
import { headingsOf } from "./headings.mjs";

// Categories of the first level, in this order. The headings of doors follow.
const PACKAGES = "Packages";
const documentCategories = [
  ["docs/guide/", "Guides"],
  ["docs/errors/", "Errors"],
  ["docs/", "How it works"],
];
const categoryOrder = ["Guides", "How it works", PACKAGES, "Errors"];

/**
 * Shapes what TypeDoc reads into a site: doors have the names that applications import, the headings in a
 * door's source are its categories, a package's main door shows the package's README, and pages of
 * `docs/` are called by their first heading. A link to a source file leads to the page of the public name
 * that it is called by, and links to other files that are no pages lead to the repository.
 *
 * @param {import("typedoc").Application} app
 * @param {{ name: string, folder: string, file: string }[]} doors
 */
export function shapeSite(app, doors) {
  const doorOf = new Map(doors.map((door) => [at(door.file), door]));
  const headingsIn = new Map(
    doors.map(({ name, file }) => [name, headingsOf(readFileSync(at(file), "utf8"))]),
  );
  const headings = [...headingsIn.values()].flatMap((one) => [...one.keys()]);
  app.options.setValue("categoryOrder", [...categoryOrder, ...headings, "*"]);
  const { converter } = app;
  converter.addUnknownSymbolResolver((reference, { project }) => {
    const target = findName(reference, project);
    return target && { target };
  });
  converter.on(Converter.EVENT_CREATE_DOCUMENT, (_, document) => nameDocument(document));
  converter.on(Converter.EVENT_CREATE_DECLARATION, (context, reflection) => {
    if (reflection.kind !== ReflectionKind.Module) return;
    const door = doorOf.get(context.getSymbolFromReflection(reflection)?.declarations?.[0]?.fileName);
    if (door !== undefined) reflection.name = door.name;
  });
  converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    addTag(project, "@sortStrategy", "kind alphabetical-ignoring-documents");
    const modules = new Map(project.getChildrenByKind(ReflectionKind.Module).map((one) => [one.name, one]));
    for (const door of doors) {
      const reflection = modules.get(door.name);
      if (reflection === undefined) throw new Error(`The site has no page of ${door.name}`);
      addTag(reflection, "@category", PACKAGES);
      addTag(reflection, "@sortStrategy", "kind alphabetical");
      categorize(reflection, headingsIn.get(door.name));
      if (reflection.name.split("/").length === 2) addReadme(converter, project, reflection, door.folder);
    }
  });
  converter.on(Converter.EVENT_END, ({ project }) => {
    leadToNames(project);
    leadOutside(project);
  });
}

/** Names a document by its first heading, and puts it into the category of its folder. */
function nameDocument(document) {
  const path = relative(root, document.project.files.getReflectionPath(document)).replaceAll("\\", "/");
  document.frontmatter.category ??= documentCategories.find(([folder]) => path.startsWith(folder))?.[1];
  const text = document.content.map((part) => part.text).join("");
  const [, title] = text.match(/^# (.+)$/m) ?? [];
  if (title !== undefined && document.frontmatter.title === undefined)
    document.name = title.replaceAll("`", "");
}

function categorize(module, headings) {
  const categoryOf = new Map();
  for (const [heading, names] of headings) for (const name of names) categoryOf.set(name, heading);
  for (const child of module.children ?? []) {
    const category = categoryOf.get(child.name);
    if (category !== undefined) addTag(child, "@category", category);
  }
}

function addTag(reflection, tag, text) {
  reflection.comment ??= new Comment();
  reflection.comment.blockTags.push(new CommentTag(tag, [{ kind: "text", text }]));
}

/** Finds what a link names in any door, e.g. `EventStore.append` of another door of the package. */
function findName({ symbolReference }, project) {
  const [name, ...members] = symbolReference?.path?.map(({ path }) => path) ?? [];
  const [named] = namedPages(project, name);
  return members.length > 0 ? named?.getChildByName(members) : named;
}

function addReadme(converter, project, module, folder) {
  const path = at(folder, "README.md");
  if (!existsSync(path)) return;
  // Without its first heading, which repeats the title of the page.
  const text = readFileSync(path, "utf8").replace(/^# .*\n+/, "");
  module.readme = converter.parseRawComment(new MinimalSourceFile(text, path), project.files).content;
  project.files.registerReflectionPath(path, module);
  project.files.registerReflectionPath(at(folder), module);
}

/**
 * Leads links like ``[`approval()`](../src/approval.ts)`` to the page of the name, if the file declares it.
 * On GitHub they lead to the file, which has the same doc comment.
 */
export function leadToNames(project) {
  for (const parts of textsOf(project)) {
    for (const [index, part] of parts.entries()) {
      if (part.kind !== "relative-link" || part.target === undefined) continue;
      const target = project.files.resolve(part.target, project);
      const [, name] = parts[index - 2]?.text.match(/^`([^`]+?)(?:\(\))?`$/) ?? [];
      if (typeof target !== "string" || name === undefined || parts[index - 1].text !== "](") continue;
      const page = namedPages(project, name).find(({ sources }) => sources?.[0]?.fullFileName === target);
      if (page === undefined) continue;
      // The registry knows one page of a file, and a file may declare several names.
      const path = `${target}/${name}`;
      project.files.registerReflectionPath(path, page);
      part.target = project.files.registerAbsolute(path).target;
    }
  }
}

/** Returns the doors of this name, and what doors export under it. */
function namedPages(project, name) {
  const modules = project.getChildrenByKind(ReflectionKind.Module);
  const named = modules.map((module) => (module.name === name ? module : module.getChildByName([name])));
  return named.filter((page) => page !== undefined && !page.isReference());
}

/** Rewrites relative links to files that have no page. Images stay, and are copied. */
export function leadOutside(project) {
  const outside = new Set();
  for (const parts of textsOf(project)) {
    for (const part of parts) {
      if (part.kind !== "relative-link" || part.target === undefined) continue;
      const target = project.files.resolve(part.target, project);
      if (typeof target !== "string" || /\.(png|jpe?g|gif|svg|webp)$/.test(target)) continue;
      outside.add(target);
      const anchor = part.targetAnchor === undefined ? "" : `#${part.targetAnchor}`;
      Object.assign(part, {
        kind: "text",
        text: `${REPOSITORY}/blob/main/${relative(root, target)}${anchor}`,
      });
    }
  }
  // TypeDoc tries to copy every file that was linked and belongs to no page.
  for (const path of outside) project.files.registerReflectionPath(path, project);
}

function* textsOf(project) {
  for (const reflection of [project, ...Object.values(project.reflections)]) {
    if (reflection.readme) yield reflection.readme;
    if (reflection.content) yield reflection.content;
    const { summary = [], blockTags = [] } = reflection.comment ?? {};
    yield summary;
    for (const { content } of blockTags) yield content;
  }
}
