import type { Page } from "playwright-core";

const WAIT = { timeout: 20_000 };

/** Makes an agent that searches the mail, in the dialog of the search page. */
export async function makeAgent(page: Page, name: string): Promise<void> {
  await page.getByTestId("es-agents").click();
  await page.getByTestId("es-agent-new").click();
  await page.getByRole("textbox", { name: "Name" }).fill(name);
  await page.getByRole("textbox", { name: "What it is good for" }).fill("Finds figures.");
  await page.getByRole("textbox", { name: "Instructions" }).fill("Search the mail. Name each figure.");
  for (const source of ["Slack", "Calendar", "Files"]) await page.getByLabel(source).uncheck();
  await page.getByTestId("es-agent-save").click();
  await page.getByText(`“${name}” is saved.`).waitFor(WAIT);
  await page.keyboard.press("Escape");
}

/** Returns the names of the agents that the dialog lists. */
export async function agentsIn(page: Page): Promise<string[]> {
  await page.getByTestId("es-agents").click();
  const names = page.getByTestId("es-agent").locator("h4");
  await names.first().waitFor(WAIT);
  const found = await names.allTextContents();
  await page.keyboard.press("Escape");
  return found;
}
