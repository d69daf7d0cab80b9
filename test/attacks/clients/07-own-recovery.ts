import { aiSdk } from "@pawl/sse";
import { bundlePage } from "../../../packages/sse/test/support/bundle-page.ts";
import { handModel } from "../../../packages/sse/test/support/hand-model.ts";
import { startBrowser } from "../../support/browser.ts";
import { type Attack, NotTried } from "../frame/attack.ts";
import { mustHold } from "../parts/must-hold.ts";
import { comesAbout, serve } from "../parts/serve.ts";

export const attack: Attack = {
  id: "clients-07",
  title: "useChat of AI SDK 6, set up as the README says, shows text twice after its own recovery",
  state: "held",
  guard: {
    file: "packages/sse/test/dialects/ai-sdk/use-chat.test.ts",
    title:
      "has the text once after its own recovery from a lost connection, also when the run ended meanwhile",
  },
  attempt: async () => {
    const browser = await startBrowser();
    if (browser === undefined) throw new NotTried("there is no browser");
    const model = handModel();
    const html = "<!doctype html><body><script type=module src=/page.js></script>";
    const pages = { "/page.html": html, "/page.js": await bundlePage("use-chat.page.js") } as const;
    const served = await serve(model, { dialect: aiSdk(), basePath: "/api/coach", pages });
    const page = await browser.newPage();
    await page.goto(`${served.url}/page.html?version=6`);
    const shown = async () => (await page.locator("p").allTextContents()).join(" / ");
    await page.getByLabel("Message").fill("Hi");
    await page.getByRole("button", { name: "Send" }).click();
    const turn = await model.turn();
    turn.say("Well, ");
    await comesAbout(async () => (await shown()) === "Hi / Well, ");
    for (const socket of served.sockets) socket.destroy();
    await page.getByRole("alert").waitFor();
    await page.evaluate('document.dispatchEvent(new Event("visibilitychange"))');
    turn.say("hello.");
    turn.end();
    const isRight = await comesAbout(async () => (await shown()) === "Hi / Well, hello.");
    const got = await shown();
    await browser.close();
    return mustHold(isRight, got);
  },
};
