import { approval } from "@pawl/core";
import { aiSdk } from "@pawl/sse";
import { type Reply, scriptedModel } from "@pawl/testing";
import { callOf, chat, history } from "../../../packages/sse/test/support/chat.ts";
import { pause } from "../../support/pause.ts";
import { type Attack, brokenByAny } from "../frame/attack.ts";
import { withAiSdk } from "../parts/clients.ts";
import { mustHold } from "../parts/must-hold.ts";
import { calling, comesAbout, confirm, locate, remove, serve } from "../parts/serve.ts";

/** A page at the first call of its run; more replies than may be asked for. */
async function world(version: 6 | 7, replies: readonly Reply[]) {
  const model = scriptedModel([...replies, { text: "Paid for." }, { text: "Paid for." }]);
  const tools = [confirm, locate, remove];
  const served = await serve(model, {
    dialect: aiSdk(),
    of: { tools, hooks: [approval({ when: ["remove"] })] },
  });
  const page = chat(version, served, { id: "c" });
  const stop = async () => {
    const { ok } = await served.ask("/sessions/c/stop", { method: "POST" });
    if (!ok) throw new Error("The session was not stopped.");
  };
  return { model, served, page, stop };
}

/** Lets the page send by itself what it may send; then no more than `most` requests may have been made. */
async function isPaid({ model, page }: Awaited<ReturnType<typeof world>>, most: number): Promise<string> {
  await comesAbout(() => model.requests.length > most || page.error !== undefined, 3_000);
  await pause(100, "for a request that must not come");
  const { length } = model.requests;
  return mustHold(
    length === most,
    `${length} model requests instead of ${most}; ${page.error?.message ?? "no error"}`,
  );
}

async function approvalAfterStop(version: 6 | 7): Promise<string> {
  const all = await world(version, [calling("remove")]);
  await all.page.sendMessage({ text: "Remove it" });
  await all.stop();
  await all.page.addToolApprovalResponse({
    id: callOf(all.page, "remove").approval?.id ?? "",
    approved: false,
  });
  return await isPaid(all, 1);
}

async function toolAfterStop(version: 6 | 7): Promise<string> {
  const all = await world(version, [calling("locate")]);
  await all.page.sendMessage({ text: "Where am I?" });
  await all.stop();
  await all.page.stop();
  await all.page.addToolOutput({ tool: "locate", toolCallId: "c1", output: { city: "Bonn" } });
  return await isPaid(all, 1);
}

async function otherAnswerAfterError(version: 6 | 7): Promise<string> {
  const failing: Reply = { text: "", fault: { status: 400, type: "invalid_request_error" } };
  const all = await world(version, [calling("confirm"), failing]);
  await all.page.sendMessage({ text: "Go" });
  const other = chat(version, all.served, { id: "c", messages: await history(all.served, "c") });
  const answer = (yes: boolean) => ({ tool: "confirm", toolCallId: "c1", output: { yes } });
  await all.page.addToolOutput(answer(true));
  await comesAbout(() => all.page.error !== undefined);
  await other.addToolOutput(answer(false));
  return await isPaid({ ...all, page: other }, 2);
}

export const attack: Attack = {
  id: "clients-26",
  title: "AI SDK: an answer that comes too late begins a run anew that was stopped, or answered otherwise",
  state: "open",
  attempt: () =>
    withAiSdk((version) =>
      brokenByAny({
        "No after a stop": () => approvalAfterStop(version),
        "a page's tool after a stop": () => toolAfterStop(version),
        "another tab's No after a Yes that failed": () => otherAnswerAfterError(version),
      }),
    ),
};
