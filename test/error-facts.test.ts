import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { canBeRetried, isFailed } from "../packages/core/src/log/stop-reason.ts";
import { KINDS, wordsOf } from "../scripts/lib/error-pages.mjs";

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");

/** The words of a kind, each with the section of its page. */
function sectionsOf(kind: string): { word: string; section: string }[] {
  const { file, type } = KINDS.find(({ section }) => section === kind) ?? { file: "", type: "" };
  return wordsOf(read(file), type).map((word) => {
    const sections = read(`docs/errors/${word}.md`).split(/^## /m);
    return { word, section: sections.find((part) => part.startsWith(`${kind}\n`)) ?? "" };
  });
}

it.each(sectionsOf("Stop type"))("U5 the page of $word says whether its run can be retried", (page) => {
  const stop = { type: page.word, message: "" };
  const [, answer = ""] = page.section.match(/^### Retry\n\n(\w+)/m) ?? [];
  expect(answer).toMatch(canBeRetried({ stop, failed: isFailed(stop) }) ? /^(Yes|Only)$/ : /^(No|Not)$/);
  expect(page.section).toMatch(`{ "type": "${page.word}", "message": "`);
});

it.each(sectionsOf("Wire code"))("U5 the page of $word has the status of its response", (page) => {
  const comment = read("packages/sse/src/request/wire-error.ts");
  const [, statuses = ""] = comment.match(new RegExp(`\\* - \`${page.word}\` \\(([\\d, ]+)\\)`)) ?? [];
  const [, status = "none"] = page.section.match(/^HTTP\/1\.1 (\d+)$/m) ?? [];
  expect(statuses.split(", ")).toContain(status);
  expect(page.section).toContain(`{"error":{"code":"${page.word}","message":"`);
});
