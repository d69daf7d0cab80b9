import { existsSync } from "node:fs";
import { join } from "node:path";
import { coachRules } from "@pawl/example-coach";
import { trainerRules } from "@pawl/example-trainer";
import { type MessagesApi, messagesApi } from "@pawl/testing";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { bringFiles, type TestFile } from "./support/bring-files.ts";
import { closePages, startBrowser } from "./support/browser.ts";
import { idle } from "./support/idle.ts";
import { mealPng, paintedPng } from "./support/painted-png.ts";
import { type PlaygroundProcess, playgroundProcess } from "./support/playground-process.ts";

const browser = await startBrowser();
const WAIT = 20_000;

const meal: TestFile = { name: "lunch.png", type: "image/png", bytes: mealPng() };
const script = '<svg xmlns="http://www.w3.org/2000/svg"><script>document.title = "run"</script></svg>';
const disguised: TestFile = { name: "cat.png", type: "image/png", bytes: new TextEncoder().encode(script) };
const base64 = ({ bytes }: TestFile) => Buffer.from(bytes).toString("base64");

describe.skipIf(browser === undefined)("files in the coach's page", { timeout: 120_000 }, () => {
  let api: MessagesApi;
  let server: PlaygroundProcess;

  beforeAll(async () => {
    const built = join(import.meta.dirname, "..", "examples", "playground", "dist", "web", "index.html");
    if (!existsSync(built)) throw new Error("The page is not built: npm run build");
    const [coaching, training] = [coachRules({ speed: 8 }), trainerRules({ speed: 8 })];
    api = await messagesApi({
      rules: (request, context) => {
        const isCoach = request.tools?.some(({ name }) => name === "save_file") === true;
        return (isCoach ? coaching : training)(request, context);
      },
    });
    server = await playgroundProcess(api.url);
    await server.start();
  });

  afterAll(async () => {
    await closePages(browser);
    await server?.remove();
    await api?.close();
  });

  const visit = async (hash = ""): Promise<Page> => {
    const context = await browser!.newContext({ viewport: { width: 1280, height: 900 } });
    onTestFinished(() => context.close());
    const page = await context.newPage();
    page.on("pageerror", (error) => expect.unreachable(`the page threw: ${error.message}`));
    await page.addInitScript(`
      window.urls = new Set();
      const { createObjectURL, revokeObjectURL } = URL;
      URL.createObjectURL = (file) => {
        const url = createObjectURL.call(URL, file);
        window.urls.add(url);
        return url;
      };
      URL.revokeObjectURL = (url) => {
        window.urls.delete(url);
        revokeObjectURL.call(URL, url);
      };
    `);
    await page.goto(`${server.url}/${hash}`);
    await page.getByTestId("composer").waitFor({ timeout: WAIT });
    return page;
  };
  const bring = (page: Page, type: "dragenter" | "drop" | "paste", ...files: TestFile[]) =>
    bringFiles(page, type, files);
  const heard = (page: Page, words: string | RegExp) =>
    page.getByTestId("message-assistant").last().getByText(words).waitFor({ timeout: WAIT });
  const say = async (page: Page, text: string) => {
    await page.getByTestId("composer").fill(text);
    await page.keyboard.press("Enter");
  };
  const widthOf = (picture: Locator) =>
    picture.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth);
  const shown = async (page: Page) => {
    const picture = page.getByTestId("message-user").first().getByRole("img", { name: "lunch.png" });
    await picture.waitFor({ timeout: WAIT });
    await expect.poll(() => widthOf(picture)).toBe(320);
    return picture;
  };
  const openUrls = (page: Page) => page.evaluate("window.urls.size");
  const pictures = (body: unknown) =>
    [...JSON.stringify(body).matchAll(/"media_type":"image\/\w+","data":"([^"]+)"/g)].map(([, data]) => data);

  it("F1 X1 a photo of a meal is dropped, asked about, and is there after a reload and a restart", async () => {
    const page = await visit();
    const before = api.requests.length;
    await bring(page, "dragenter", meal);
    await page.getByTestId("drop-target").waitFor({ timeout: WAIT });
    await bring(page, "drop", meal);
    const waiting = page.getByTestId("tray-file");
    await waiting.waitFor({ timeout: WAIT });
    expect(await page.getByTestId("drop-target").count()).toBe(0);
    expect(await waiting.textContent()).toMatch(/lunch\.png\d+ kB/);
    await say(page, "What do you think of my lunch?");
    await heard(page, /a PNG picture of 320 × 240 pixels/);
    await idle(page);
    expect(await waiting.count()).toBe(0);
    await shown(page);
    // The page's copy is released once the server's is shown.
    await expect.poll(() => openUrls(page), { timeout: WAIT }).toBe(0);

    await page.reload();
    const picture = await shown(page);
    expect(await picture.getAttribute("src")).toMatch(/^\/api\/coach\/files\/[0-9a-f]{64}$/);
    await say(page, "And what was on the picture?");
    await heard(page, "still with me");
    await idle(page);
    await server.kill();
    await server.start();
    await page.reload();
    await shown(page);
    await say(page, "One last word on the photo?");
    await page.getByTestId("message-assistant").nth(2).getByText("still with me").waitFor({ timeout: WAIT });

    const requests = api.requests.slice(before);
    expect(requests).toHaveLength(3);
    // What was sent never changes: the same bytes, in the same place, so the cache is hit.
    const prefix = (body: unknown) => JSON.stringify(body).split(base64(meal))[0];
    const [first, ...later] = requests.map(({ body }) => body);
    expect(pictures(first)).toEqual([base64(meal)]);
    for (const body of later) {
      expect(pictures(body)).toEqual([base64(meal)]);
      expect(prefix(body)).toBe(prefix(first));
    }
    expect(api.rejected).toEqual([]);
  });

  it("F1 a file that cannot be sent is refused with a reason, and the text and other files stay", async () => {
    const page = await visit();
    await page.getByTestId("composer").fill("Look at these");
    const archive = { name: "notes.zip", type: "", bytes: Uint8Array.of(80, 75, 3, 4, 0, 0) };
    await bring(page, "drop", disguised, meal, archive);
    const refused = page.getByTestId("file-refused");
    await refused.nth(1).waitFor({ timeout: WAIT });
    expect(await refused.allTextContents()).toEqual([
      expect.stringContaining("cat.png is not added. It is not a picture"),
      expect.stringContaining("notes.zip is not added. PNG, JPEG"),
    ]);
    expect(await page.getByTestId("tray-file").count()).toBe(1);
    expect(await page.getByTestId("composer").inputValue()).toBe("Look at these");
    await page.getByRole("button", { name: "Dismiss the note on cat.png" }).click();
    expect(await refused.count()).toBe(1);
    await page.getByTestId("composer").press("Enter");
    await heard(page, /a PNG picture of 320 × 240 pixels/);
    expect([await refused.count(), await page.title()]).toEqual([0, expect.not.stringContaining("run")]);
  });

  it("F1 a file that only the server refuses comes back as a note, and the message can be sent without it", async () => {
    const page = await visit();
    const encrypted = { name: "tax.pdf", type: "application/pdf", bytes: pdf("/Encrypt 5 0 R") };
    await bring(page, "drop", meal, encrypted);
    await page.getByTestId("tray-file").nth(1).waitFor({ timeout: WAIT });
    await say(page, "My lunch and my taxes");
    const refused = page.getByTestId("file-refused");
    await refused.waitFor({ timeout: WAIT });
    expect(await refused.textContent()).toContain("tax.pdf is not added. The PDF is encrypted.");
    expect(await page.getByTestId("composer").inputValue()).toBe("My lunch and my taxes");
    expect(await page.getByTestId("tray-file").allTextContents()).toEqual([
      expect.stringContaining("lunch.png"),
    ]);
    expect([await page.getByTestId("error").count(), await page.getByTestId("message-user").count()]).toEqual(
      [0, 0],
    );
    await page.getByTestId("composer").press("Enter");
    await heard(page, /a PNG picture of 320 × 240 pixels/);
    await idle(page);
    await expect.poll(() => openUrls(page), { timeout: WAIT }).toBe(0);
  });

  it("F1 nothing is lost if the server cannot be reached: text and files come back, and are sent again", async () => {
    const page = await visit();
    await page.route("**/api/coach/files", (route) => route.abort());
    await bring(page, "paste", meal);
    await page.getByTestId("tray-file").waitFor({ timeout: WAIT });
    await say(page, "Can you see it?");
    await page.getByTestId("uploading").waitFor({ timeout: WAIT });
    await page.getByTestId("error").getByText("can't be reached").waitFor({ timeout: WAIT });
    expect(await page.getByTestId("tray-file").count()).toBe(1);
    expect(await page.getByTestId("composer").inputValue()).toBe("Can you see it?");
    await page.unrouteAll();
    await page.getByTestId("retry").click();
    await heard(page, /a PNG picture of 320 × 240 pixels/);
    expect(await page.getByTestId("tray-file").count()).toBe(0);
  });

  it("F1 an upload can be stopped, and then everything is back in the text field", async () => {
    const page = await visit();
    const held = Promise.withResolvers<void>();
    onTestFinished(() => held.resolve());
    await page.route("**/api/coach/files", async (route) => {
      await held.promise;
      await route.abort().catch(() => undefined);
    });
    await bring(page, "drop", meal, { ...meal, name: "dinner.png" });
    await page.getByTestId("tray-file").nth(1).waitFor({ timeout: WAIT });
    await say(page, "Both");
    await page.getByText("Sending file 1 of 2").waitFor({ timeout: WAIT });
    await page.keyboard.press("Escape");
    await page.getByTestId("tray-file").nth(1).waitFor({ timeout: WAIT });
    expect(await page.getByTestId("composer").inputValue()).toBe("Both");
    expect(await page.getByTestId("message-user").count()).toBe(0);
    expect(await page.getByTestId("error").count()).toBe(0);
  });

  it("F1 X1 pictures are pasted, and a table's picture is not", async () => {
    const page = await visit();
    await bring(page, "paste", { ...meal, name: "image.png" });
    await page.getByText("Pasted picture.png").waitFor({ timeout: WAIT });
    const table = { name: "image.png", type: "image/png", bytes: new TextEncoder().encode("GIF89a") };
    await bringFiles(page, "paste", [table], { "text/plain": "1", "text/html": "<table></table>" });
    expect([
      await page.getByTestId("tray-file").count(),
      await page.getByTestId("file-refused").count(),
    ]).toEqual([1, 0]);
    await page.getByTestId("composer").press("Enter");
    // A message may have no text. Its conversation has a title all the same.
    await heard(page, /What would you like to tell me/);
    expect(await page.getByTestId("message-user").locator(".bubble").count()).toBe(0);
    await page.getByTestId("past-session").getByText("A message with files").waitFor({ timeout: WAIT });
  });

  it("F1 sends a file even if the code that checks it cannot be loaded", async () => {
    const page = await visit();
    await page.route("**/assets/check-file-*.js", (route) => route.fulfill({ status: 404, body: "gone" }));
    await bring(page, "drop", meal);
    await page.getByTestId("tray-file").waitFor({ timeout: WAIT });
    await say(page, "My lunch");
    await heard(page, /a PNG picture of 320 × 240 pixels/);
    await shown(page);
  });

  it("F1 Enter that comes before a file is checked sends the file too, but not if it is refused", async () => {
    const page = await visit();
    const held = Promise.withResolvers<void>();
    await page.route("**/assets/check-file-*.js", async (route) => {
      await held.promise;
      await route.continue();
    });
    await bring(page, "paste", meal);
    await say(page, "In a hurry");
    expect(await page.getByTestId("message-user").count()).toBe(0);
    held.resolve();
    await heard(page, /a PNG picture of 320 × 240 pixels/);
    await idle(page);
    await page.evaluate(`{
      const { arrayBuffer } = Blob.prototype;
      const held = new Promise((resolve) => (window.release = resolve));
      Blob.prototype.arrayBuffer = async function () {
        await held;
        return await arrayBuffer.call(this);
      };
    }`);
    await bring(page, "paste", { ...disguised, name: "cat.gif" });
    await say(page, "And the cat");
    await page.evaluate("window.release()");
    await page.getByTestId("file-refused").waitFor({ timeout: WAIT });
    expect(await page.getByTestId("composer").inputValue()).toBe("And the cat");
  });

  it("F1 X2 the trainer takes pictures too; the search takes none, and a dropped file does not replace its page", async () => {
    const page = await visit("#trainer");
    await bring(page, "drop", meal);
    await page.getByTestId("tray-file").waitFor({ timeout: WAIT });
    await say(page, "What is this?");
    await heard(page, /a PNG picture of 320 × 240 pixels/);
    await idle(page);
    await page.reload();
    await shown(page);

    const search = await visit("#search");
    await search.getByRole("main", { name: "Conversation with" }).waitFor({ timeout: WAIT });
    await search.evaluate("addEventListener('drop', (event) => (window.kept = event.defaultPrevented))");
    await bring(search, "drop", meal);
    expect(await search.evaluate("window.kept")).toBe(true);
    expect(await search.getByTestId("attach").count()).toBe(0);
    expect(await search.getByTestId("tray-file").count()).toBe(0);
  });

  it("F1 by keyboard alone: choose files, remove one, send, open the picture and close it, and find the PDF", async () => {
    const page = await visit();
    const focused = () => page.evaluate("document.activeElement?.ariaLabel");
    const composer = page.getByTestId("composer");
    await composer.focus();
    await page.keyboard.press("Shift+Tab");
    const choosing = page.waitForEvent("filechooser");
    expect(await focused()).toBe("Add files");
    await page.keyboard.press("Enter");
    const chooser = await choosing;
    const small = paintedPng({ width: 20, height: 10 });
    await chooser.setFiles([
      { name: "lunch.png", mimeType: "image/png", buffer: Buffer.from(meal.bytes) },
      { name: "small.png", mimeType: "image/png", buffer: Buffer.from(small) },
      { name: "recipe.pdf", mimeType: "application/pdf", buffer: Buffer.from(pdf("/Type /Page")) },
    ]);
    await page.getByTestId("tray-file").nth(2).waitFor({ timeout: WAIT });
    await page.getByRole("button", { name: "Remove small.png" }).focus();
    await page.keyboard.press("Enter");
    expect(await focused()).toBe("Remove recipe.pdf");
    expect(await openUrls(page)).toBe(1);
    await composer.focus();
    await page.keyboard.type("What do I cook?");
    await page.keyboard.press("Enter");
    await heard(page, /a PDF called "recipe\.pdf"/);
    await idle(page);

    await page.getByRole("button", { name: "Open lunch.png" }).focus();
    await page.keyboard.press("Enter");
    await page.getByTestId("picture-large").waitFor({ timeout: WAIT });
    await page.keyboard.press("Escape");
    await page.getByTestId("picture-large").waitFor({ state: "detached", timeout: WAIT });
    expect(await focused()).toBe("Open lunch.png");
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement?.className")).toBe("file-link");
    const [download] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("Enter")]);
    expect(download.suggestedFilename()).toBe("recipe.pdf");
  });

  it("F1 X1 nothing moves when pictures are loaded after a reload", async () => {
    const page = await visit();
    await bring(page, "drop", meal);
    await page.getByTestId("tray-file").waitFor({ timeout: WAIT });
    await say(page, "My lunch");
    await idle(page);
    const held = Promise.withResolvers<void>();
    await page.route("**/api/coach/files/*", async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.reload();
    const bubble = page.getByTestId("message-user").locator(".bubble");
    await bubble.waitFor({ timeout: WAIT });
    const place = await bubble.boundingBox();
    held.resolve();
    await shown(page);
    expect(await bubble.boundingBox()).toEqual(place);
  });
});

function pdf(content: string): Uint8Array {
  return new TextEncoder().encode(`%PDF-1.7\n1 0 obj << ${content} >>\nendobj\ntrailer << ${content} >>\n`);
}
