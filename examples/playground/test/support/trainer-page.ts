import type { Browser, Page } from "playwright-core";
import { openPage } from "../../../../test/support/browser.ts";
import { idle } from "../../../../test/support/idle.ts";

/** The longest time that a page's test waits for something to appear, in milliseconds. */
export const WAIT = 20_000;

/** The trainer's page of a new user, and what a test does with it. */
export interface TrainerPage {
  page: Page;
  /** Errors of the page and of its console. */
  problems: string[];
  idle(): Promise<void>;
  /** Sends a message, and waits until it is answered. */
  say(text: string): Promise<void>;
  /** Waits until a message with these words is shown and answered. */
  sent(words: string): Promise<void>;
  close(): Promise<void>;
}

/** Opens the trainer's page, and waits until it is ready for the first message. */
export async function openTrainer(
  browser: Browser,
  url: string,
  { width = 1280, height = 800 } = {},
): Promise<TrainerPage> {
  const { page, close } = await openPage(browser, { viewport: { width, height } });
  const problems: string[] = [];
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  page.on("pageerror", (error) => problems.push(error.message));
  await page.goto(`${url}/#trainer`);
  await page.getByTestId("starter").first().waitFor({ timeout: WAIT });
  const sent = async (words: string) => {
    await page.getByTestId("message-user").filter({ hasText: words }).waitFor({ timeout: WAIT });
    await idle(page);
  };
  const say = async (text: string) => {
    await page.getByTestId("composer").fill(text);
    await page.keyboard.press("Enter");
    await sent(text);
  };
  return { page, problems, idle: () => idle(page), say, sent, close };
}
