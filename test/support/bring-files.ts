import type { Page } from "playwright-core";

/** A file as a test brings it to a page. */
export interface TestFile {
  name: string;
  type: string;
  bytes: Uint8Array;
}

/** Text that is copied beside files, by media type. */
type CopiedText = Readonly<Record<string, string>>;

/** Sends an event with files to the text field, as the browser does when files are dragged or pasted. */
export async function bringFiles(
  page: Page,
  type: "dragenter" | "drop" | "paste",
  files: readonly TestFile[],
  texts: CopiedText = {},
): Promise<void> {
  const given = files.map(({ bytes, ...file }) => ({ ...file, text: Buffer.from(bytes).toString("base64") }));
  await page.evaluate(`{
    const data = new DataTransfer();
    for (const { name, type, text } of ${JSON.stringify(given)}) {
      const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
      data.items.add(new File([bytes], name, { type }));
    }
    for (const [type, text] of Object.entries(${JSON.stringify(texts)})) data.setData(type, text);
    const how = { bubbles: true, cancelable: true, clipboardData: data, dataTransfer: data };
    const Event = ${type === "paste" ? "ClipboardEvent" : "DragEvent"};
    document.querySelector("textarea").dispatchEvent(new Event(${JSON.stringify(type)}, how));
  }`);
}
