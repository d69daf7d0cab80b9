import { memoryFiles, readText } from "@pawl/core";
import { afterAll, describe, expect, it } from "vitest";
import { closePages, startBrowser } from "../../../../test/support/browser.ts";
import { frames } from "../../../../test/support/frames.ts";
import { fileText, type SaveFileInput } from "../../src/tools/save-file.ts";
import { saving, scriptedCoach } from "../support/harness.ts";
import { hostileMarkdown } from "../support/hostile-markdown.ts";
import { readers, runsInObsidian } from "../support/readers.ts";

/** Returns two files: one with `text` in its body, one with it in every attribute that takes text. */
function filesWith(text: string): string[] {
  const short = text.replaceAll("\0", "").slice(0, 300);
  const attributes = {
    preview_line: short,
    mood_signal: short,
    domains_touched: [short, `${short}\n---\n${short}`],
    priorities: [`a \`${short}`, `!${short}`],
  };
  const inputs: SaveFileInput[] = [
    { file_type: "capture", content: text },
    { file_type: "capture", content: `Words ${text} and\n\n- ${text}` },
    { file_type: "capture", content: "Words.", attributes },
  ];
  return inputs.map((input) => fileText(input, "2026-11-21"));
}

const files = hostileMarkdown.flatMap(filesWith);

/**
 * Loads each page in the browser and returns what plain Markdown cannot create: other elements, attributes
 * and link targets, and scripts that ran.
 */
const LOOK = `(pages) => {
  const ELEMENTS = new Set(("a b blockquote br code del div em h1 h2 h3 h4 h5 h6 hr input li ol p pre section strong sup table tbody td " +
    "th thead tr ul").split(" "));
  const ATTRIBUTES = new Set(("align checked class disabled href id start title type dir aria-describedby aria-label " +
    "data-footnote-backref data-footnote-ref data-footnotes").split(" "));
  const found = [];
  window.alert = () => found.push("ran");
  for (const [index, html] of pages.entries()) {
    const box = document.createElement("div");
    box.innerHTML = html;
    document.body.append(box);
    for (const one of box.querySelectorAll("*")) {
      const name = one.localName;
      if (!ELEMENTS.has(name)) found.push(index + ": <" + name + ">");
      for (const attribute of one.attributes) if (!ATTRIBUTES.has(attribute.name)) found.push(index + ": " + attribute.name);
      if (name === "a" && one.href && !/^(https?:|mailto:)/.test(one.href)) found.push(index + ": " + one.href);
      if (name === "input" && !(one.type === "checkbox" && one.disabled)) found.push(index + ": <input>");
      one.dispatchEvent(new MouseEvent("mouseover"));
      one.focus?.();
    }
    box.remove();
  }
  window.found = found;
}`;

const browser = await startBrowser();

describe("files in other readers", () => {
  afterAll(async () => await closePages(browser));

  it.skipIf(browser === undefined)(
    "X1 attack: no script runs, no attribute and no request that Markdown does not make, in any renderer",
    async () => {
      const page = await browser!.newPage();
      const requests: string[] = [];
      await page.route("**/*", async (route) => {
        const url = route.request().url();
        if (url !== "http://notes.example/") requests.push(url);
        await route.fulfill({ contentType: "text/html", body: "<!doctype html><title>Notes</title><body>" });
      });
      await page.goto("http://notes.example/");
      const rendered = Object.values(readers).flatMap((read) => files.map(read));
      expect(rendered.length).toBeGreaterThan(2_000);
      await page.evaluate(`(${LOOK})(${JSON.stringify(rendered)})`);
      await frames(page);
      const found = await page.evaluate<string[]>("window.found");
      expect({ found, requests }).toEqual({ found: [], requests: [] });
      await page.close();
    },
  );

  it("X1 attack: contain no program, embed or template for Obsidian's plugins", () => {
    expect(files.filter((file) => runsInObsidian(file).length > 0)).toEqual([]);
  });

  it("X1 attack: a session's summary is made harmless too", async () => {
    const stored = memoryFiles();
    const summary = `<img src=x onerror=alert(1)>`;
    const { ask } = await scriptedCoach(
      [{ tools: [{ name: "complete_session", input: { type: "session", summary } }] }, { text: "Bye." }],
      undefined,
      { files: stored },
    );
    await ask({ input: "Bye" });
    const [written] = await stored.list();
    expect(await readText(stored, written?.path ?? "")).toContain("&lt;img src=x");
  });

  it("X1 attack: captures are made harmless in the journal too", async () => {
    const stored = memoryFiles();
    // A file that the coach did not write.
    await stored.put("ada/captures/2026-11-21-a.md", "![x](https://elsewhere.example)<b onclick=alert(1)>");
    const { ask } = await scriptedCoach(saving({ file_type: "daily-log", content: "A day." }), undefined, {
      files: stored,
    });
    await ask({ input: "Save" });
    const journal = await readText(stored, "ada/daily-logs/2026-11-21.md");
    expect(journal).toContain("- ! [x](https://elsewhere.example)&lt;b onclick");
  });
});
