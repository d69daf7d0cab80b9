import { memoryFiles } from "@pawl/core";
import fc from "fast-check";
import { marked } from "marked";
import { describe, expect, it } from "vitest";
import { processorTime } from "../../../../test/support/processor-time.ts";
import { withFrontMatter } from "../../src/files/front-matter.ts";
import { harmlessMarkdown, readFrontMatter } from "../../src/index.ts";
import { saving, scriptedCoach } from "../support/harness.ts";

/** Matches HTML that would run in a page which trusts its Markdown. */
const DANGER =
  /<\s*\/?\s*(script|iframe|object|embed|svg|style|link|meta|base|form|video|body)\b|<[^>]*\son\w+\s*=|(?:href|src)="\s*(?:javascript|vbscript|data):/i;

const attacks: [name: string, content: string][] = [
  ["a script tag", "Hi <script>alert(1)</script>"],
  ["a script tag in capitals, with a blank", "<SCRIPT\n>alert(1)</SCRIPT >"],
  ["an event handler on an image", '<img src=x onerror="alert(1)">'],
  ["an event handler on a block", '<div onclick="alert(1)">x</div>'],
  ["an SVG that loads", "<svg/onload=alert(1)>"],
  ["a frame", '<iframe src="https://evil.example"></iframe>'],
  ["a form that asks for a password", '<form action="https://evil.example"><input type="password"></form>'],
  ["a style sheet", "<style>@import 'https://evil.example'</style>"],
  ["a script hidden in a comment", "<!--><script>alert(1)</script>-->"],
  ["a script that grows out of two", "<scr<script>ipt>alert(1)</scr</script>ipt>"],
  ["a NUL within a tag", "<scr\0ipt>alert(1)</scr\0ipt>"],
  ["a script link", "[x](javascript:alert(1))"],
  ["a script link in capitals with blanks", "[x](  JaVaScRiPt:alert(1))"],
  ["a script link in entities", "[x](java&#115;cript:alert(1))"],
  ["a script link with a named colon", "[x](javascript&colon;alert(1))"],
  ["a script link with an escaped colon", "[x](javascript\\:alert(1))"],
  ["a script link in angle brackets", "[x](<javascript:alert(1)>)"],
  ["a script link by reference", "[x][y]\n\n[y]: javascript:alert(1)"],
  ["a script link by reference in entities", "[x]\n\n[x]: <java&#x73;cript:alert(1)>"],
  ["a script link within a quotation", "> [x](\n> javascript:alert(1))"],
  ["an image of script", "![x](javascript:alert(1))"],
  ["a page of data", "[x](data:text/html;base64,PHNjcmlwdD4=)"],
  ["an old scheme", "[x](vbscript:msgbox(1))"],
  ["a script link after brackets that form no link", "[x\\](http://a](javascript:alert(1))"],
  ["a script as an autolink", "<javascript:alert(1)>"],
];

describe("content of files", () => {
  it.each(attacks)("X1 attack: %s is text, or leads nowhere", async (_, content) => {
    const files = memoryFiles();
    const { ask } = await scriptedCoach(saving({ file_type: "capture", content }), undefined, { files });
    expect((await ask({ input: "Save" })).actions).toMatchObject([{ success: true }]);
    const [file] = await files.list();
    const kept = new TextDecoder().decode((await files.get(file?.path ?? "")).content);
    const html = await marked.parse(kept.slice(kept.indexOf("---", 4) + 4));
    expect(html).not.toMatch(DANGER);
  });

  it("X1 leaves Markdown as it is", () => {
    const text = [
      "# Title",
      "I <3 this; a < b, 5 > 4. **Bold** and `code`.",
      "- [ ] a task, [a link](https://example.com/a?b=c#d), [a mail](mailto:ada@example.com), [a file](../notes/a.md)",
      "https://example.com/a:b?c=d",
      "Footnotes[^1], wikilinks [[My note]], a | b, C:\\\\data, `a = b`, `==`, 50 % off!",
      "```ts\nconst a: string[] = b < c ? [] : await d();\n```",
      "~~~\nplain\n~~~",
      "| a | b |\n| --- | --- |",
      "> quoted",
      "[ref]: https://example.com",
    ].join("\n");
    expect(harmlessMarkdown(text)).toBe(text);
  });

  it.each([
    ["See <https://example.com/?a=b>.", "See https://example.com/?a=b."],
    ["a<https://example.com>b", "a https://example.com b"],
    ["<ada@example.com>", "ada@example.com"],
    ["[x](<https://example.com>)", "[x](https://example.com)"],
    ["![a cat](https://example.com/cat.png)", "! [a cat](https://example.com/cat.png)"],
    ["```mermaid\ngraph TD\n```", "```text mermaid\ngraph TD\n```"],
    ["Write `<b>` for bold", "Write `&lt;b>` for bold"],
    ["`$= dv.pages()`", "`\\$= dv.pages()`"],
  ])("X1 keeps the words of what it makes harmless: %s", (text, expected) => {
    expect(harmlessMarkdown(text)).toBe(expected);
  });

  it("X1 front matter stays YAML of one level with the same fields, whatever stands in it", () => {
    const text = fc.oneof(
      fc.string(),
      fc.string({
        unit: fc.constantFrom(
          "-",
          "\n",
          ":",
          " ",
          '"',
          "'",
          "#",
          "|",
          ">",
          "!",
          "&",
          "*",
          "{",
          "[",
          "a",
          "\t",
          "%",
        ),
      }),
      fc.constantFrom(
        "---",
        "\n---\n",
        "!!js/function x",
        "&a b",
        "*a",
        "yes",
        "null",
        "2026-11-21",
        "<<: *a",
        "%YAML 1.1",
      ),
    );
    fc.assert(
      fc.property(text, fc.array(text, { maxLength: 3 }), (preview_line, domains_touched) => {
        const file = withFrontMatter({ type: "capture", preview_line, domains_touched }, "Words.");
        expect(file.match(/^---$/gm)).toHaveLength(2);
        expect(readFrontMatter(file)).toEqual({
          attributes: {
            type: "capture",
            preview_line: harmlessMarkdown(preview_line),
            domains_touched: domains_touched.map(harmlessMarkdown),
          },
          body: "Words.",
        });
      }),
    );
  });

  it("X1 changes nothing when it is applied again", () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom(
            ..."<>a/[]():&!= \n`~$\\@.\u0001",
            "https://",
            "obsidian:",
            "\\href",
            "js",
            "text ",
          ),
          maxLength: 40,
        }),
        (text) => {
          const once = harmlessMarkdown(text);
          expect(harmlessMarkdown(once)).toBe(once);
        },
      ),
    );
  });

  it("X1 attack: takes linear time on 100,000 characters of unclosed openings", () => {
    for (const one of [
      ..."<`~\\ \t",
      "](",
      "]:",
      "[a](",
      "<!--",
      "](  ",
      "<https://",
      "<a@",
      "``` ",
      "```a",
      "`= ",
      "\\href",
    ]) {
      const spentMs = processorTime();
      harmlessMarkdown(one.repeat(100_000 / one.length));
      expect(spentMs()).toBeLessThan(5_000);
    }
  });
});
