import { approval } from "@pawl/core";
import { aiSdk } from "@pawl/sse";
import { scriptedModel } from "@pawl/testing";
import { callOf, chat, history } from "../../../packages/sse/test/support/chat.ts";
import { type Attack, brokenByAny } from "../frame/attack.ts";
import { withAiSdk } from "../parts/clients.ts";
import { mustHold } from "../parts/must-hold.ts";
import { calling, comesAbout, remove, serve } from "../parts/serve.ts";

/** A page that shows an open approval. */
async function atApproval(version: 6 | 7) {
  const model = scriptedModel([calling("remove"), { text: "Then not." }]);
  const of = { tools: [remove], hooks: [approval({ when: ["remove"] })] };
  const served = await serve(model, { dialect: aiSdk(), of });
  const page = chat(version, served, { id: "c" });
  await page.sendMessage({ text: "Remove it" });
  return { served, page };
}

async function denied(version: 6 | 7): Promise<string> {
  const { served, page } = await atApproval(version);
  await page.addToolApprovalResponse({ id: callOf(page, "remove").approval?.id ?? "", approved: false });
  await comesAbout(() => callOf(page, "remove").state === "output-denied" && page.status === "ready");
  const states = [page, { messages: await history(served, "c") }].map((one) => callOf(one, "remove").state);
  return mustHold(
    states.every((state) => state === "output-denied"),
    states.join(", after a reload "),
  );
}

async function replaced(version: 6 | 7): Promise<string> {
  const { served, page } = await atApproval(version);
  await page.sendMessage({ text: "Something else" });
  const { state } = callOf({ messages: await history(served, "c") }, "remove");
  return mustHold(state === "output-denied", `after a reload ${state}`);
}

export const attack: Attack = {
  id: "clients-10",
  title: "A reload shows a call that was denied as failed, and one that was given up as if it had run",
  state: "held",
  guard: {
    file: "packages/sse/test/dialects/ai-sdk/ai-sdk-return.test.ts",
    title: "P6 shows a call that a new message cancelled as one that did not run",
  },
  attempt: () =>
    withAiSdk((version) =>
      brokenByAny({ denied: () => denied(version), "given up": () => replaced(version) }),
    ),
};
