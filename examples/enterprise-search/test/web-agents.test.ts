import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { closePages, openPage, startBrowser } from "../../../test/support/browser.ts";
import { chen, rivera } from "./support/agent-world.ts";
import { type Gallery, openGallery, TOO_WIDE } from "./support/page-gallery.ts";
import { ANSWERS } from "./support/page-story.ts";

const browser = await startBrowser();
const WAIT = { timeout: 20_000 };

const OWN = {
  ...{ id: "contract-finder-1", workspaceId: "harborline", owner: chen.email, name: "Contract finder" },
  ...{ description: "Finds contracts.", instructions: "Search files for contracts." },
  ...{ sources: ["drive"], sharedWith: [rivera.email, "nina.hall@harborline.example"] },
};
const SHARED = {
  ...{ id: "pipeline-watch", workspaceId: "harborline", owner: rivera.email, name: "Pipeline watch" },
  ...{ description: "Knows the pipeline.", instructions: "Look for deals.", sharedWith: "workspace" },
};
const PUBLIC = {
  ...{ id: "finance-briefing", workspaceId: "", owner: "", name: "Finance briefing" },
  ...{ description: "Sums up budgets.", instructions: "Search the mail.", sharedWith: "everyone" },
};

describe.skipIf(browser === undefined)("the agents of people in a page", { timeout: 60_000 }, () => {
  let gallery: Gallery;
  beforeAll(async () => {
    gallery = await openGallery();
  }, 120_000);
  afterAll(async () => {
    await closePages(browser);
    await gallery.close();
  });

  const listing = (...agents: object[]) => {
    gallery.shown.answers = { ...ANSWERS, "/agents": JSON.parse(JSON.stringify({ agents })) };
  };
  const withPage = async (work: (page: Page) => Promise<void>, width = 1280) => {
    gallery.shown = { events: [], writing: "", answers: ANSWERS };
    listing(OWN, PUBLIC, SHARED);
    gallery.requests.length = 0;
    const { page, close } = await openPage(browser!, {
      viewport: { width, height: 800 },
      reducedMotion: "reduce",
    });
    const problems: string[] = [];
    page.on("pageerror", ({ message }) => problems.push(message));
    await page.goto(gallery.url);
    await page.getByTestId("es-agents").waitFor(WAIT);
    await work(page);
    expect([problems, await page.evaluate(TOO_WIDE)]).toEqual([[], []]);
    await close();
  };
  const focused = (page: Page) => page.evaluate("document.activeElement.textContent");
  const rows = (page: Page) => page.getByTestId("es-agent").allTextContents();
  const written = () =>
    gallery.requests.filter((one) => /^(POST|PUT|DELETE) \/agents/.test(one) && !one.endsWith("answered"));

  it("X4 lists a person's own agents with whom they are shared, those of others, and public ones", async () => {
    await withPage(async (page) => {
      await page.getByTestId("es-agents").focus();
      await page.keyboard.press("Enter");
      await page.getByTestId("es-agent").first().waitFor(WAIT);
      expect(await rows(page)).toEqual([
        expect.stringContaining(
          "Finds contracts.Files · Shared with Alex Rivera and nina.hall@harborline.exampleEdit",
        ),
        expect.stringContaining("By Alex RiveraInstructionsLook for deals."),
        expect.stringContaining("All sources · PublicInstructions"),
      ]);
      // A dialog over the page: the page's keys do nothing, and Escape returns the focus.
      await page.keyboard.press("/");
      expect(await page.evaluate("document.activeElement.dataset.testid")).not.toBe("composer");
      await page.keyboard.press("Escape");
      await page.getByTestId("es-agents-dialog").waitFor({ state: "hidden", ...WAIT });
      expect(await page.evaluate("document.activeElement.dataset.testid")).toBe("es-agents");
    });
  });

  it("X4 makes an agent by the keyboard, says what is missing, and keeps a form that was closed", async () => {
    await withPage(async (page) => {
      await page.getByTestId("es-agents").focus();
      await page.keyboard.press("Enter");
      await page.getByTestId("es-agent-new").press("Enter");
      const field = (label: string) => page.getByRole("textbox", { name: label });
      await expect.poll(() => page.evaluate("document.activeElement.tagName")).toBe("INPUT");
      await page.keyboard.type("Minutes");
      await page.keyboard.press("Enter");
      expect(await page.getByTestId("es-agent-problem").textContent()).toBe(
        "Please write what the agent is good for and instructions.",
      );
      await page.keyboard.press("Tab");
      await page.keyboard.type("Writes minutes.");
      await page.keyboard.press("Escape");
      await page.getByTestId("es-agents-dialog").waitFor({ state: "hidden", ...WAIT });
      await page.getByTestId("es-agents").press("Enter");
      expect(await field("What it is good for").inputValue()).toBe("Writes minutes.");
      await field("Instructions").fill(" List who said what. ");
      for (const source of ["Mail", "Slack", "Calendar", "Files"]) await page.getByLabel(source).press(" ");
      await page.getByLabel("Some people").press(" ");
      await page.getByTestId("es-agent-save").press("Enter");
      await page.getByText("Please choose at least one source.").waitFor(WAIT);
      await page.getByLabel("Files").press(" ");
      await page.getByTestId("es-agent-save").press("Enter");
      await page.getByText("Please choose the people to share it with").waitFor(WAIT);
      expect(written()).toEqual([]);
      await page.getByRole("checkbox", { name: "Alex Rivera" }).press(" ");
      await field("Other addresses").fill("Nina.Hall@harborline.example, ");
      const made = { ...OWN, id: "", name: "Minutes" };
      listing(made, OWN);
      await page.getByTestId("es-agent-save").press("Enter");
      await page.getByText("“Minutes” is saved.").waitFor(WAIT);
      const draft = {
        ...{ name: "Minutes", description: "Writes minutes.", instructions: "List who said what." },
        ...{ sources: ["drive"], sharedWith: [rivera.email, "nina.hall@harborline.example"] },
      };
      expect(written()).toEqual([`POST /agents ${JSON.stringify(draft)}`]);
    });
  });

  it("X4 changes and deletes an agent after a question, and returns the focus", async () => {
    await withPage(async (page) => {
      await page.getByTestId("es-agents").click();
      await page.getByRole("button", { name: "Edit Contract finder" }).press("Enter");
      await page.getByLabel("Everybody in your workspace").press(" ");
      for (const source of ["Mail", "Slack", "Calendar"]) await page.getByLabel(source).press(" ");
      await page.getByTestId("es-agent-save").press("Enter");
      await page.getByText("“Contract finder” is saved.").waitFor(WAIT);
      const { name, description, instructions } = OWN;
      const draft = { name, description, instructions, sharedWith: "workspace" };
      expect(written()).toEqual([`PUT /agents/${OWN.id} ${JSON.stringify(draft)}`]);

      const remove = page.getByRole("button", { name: "Delete Contract finder" });
      await remove.press("Enter");
      await expect.poll(() => focused(page)).toBe("Delete");
      await page.getByRole("button", { name: "Keep" }).press("Enter");
      expect(written()).toHaveLength(1);
      await expect.poll(() => focused(page)).toBe("Delete Contract finder");
      await remove.press("Enter");
      listing(PUBLIC);
      await page.keyboard.press("Enter");
      await page.getByText("“Contract finder” is deleted.").waitFor(WAIT);
      expect(written().at(-1)).toBe(`DELETE /agents/${OWN.id}`);
      await expect.poll(() => focused(page)).toBe("New agent");
      expect(await rows(page)).toHaveLength(1);
    }, 390);
  });

  it("X4 says if the agents cannot be read, and reads them again", async () => {
    await withPage(async (page) => {
      gallery.shown.answers = { ...ANSWERS, "/agents": "down" };
      await page.getByTestId("es-agents").click();
      await page.getByText("The agents could not be read.").waitFor(WAIT);
      listing({ ...OWN, name: "x".repeat(80), description: "y".repeat(500) }, { id: 7 }, PUBLIC);
      await page.getByRole("button", { name: "Try again" }).click();
      await page.getByTestId("es-agent").first().waitFor(WAIT);
      expect(await rows(page)).toHaveLength(2);
    }, 390);
  });
});
