import { aiSdk } from "@pawl/sse";
import { scriptedModel } from "@pawl/testing";
import { chat, textOf } from "../../../packages/sse/test/support/chat.ts";
import type { Attack } from "../frame/attack.ts";
import { withAiSdk } from "../parts/clients.ts";
import { mustHold } from "../parts/must-hold.ts";
import { comesAbout, serve } from "../parts/serve.ts";

const text = "word ".repeat(40).trim();

/** A fetch that reports a lost connection in a browser's words. */
const likeBrowser: typeof fetch = async (input, init) => {
  const { status, headers, body } = await fetch(input, init);
  const reader = body?.getReader();
  if (reader === undefined) return new Response(null, { status, headers });
  const read = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    try {
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    } catch {
      controller.error(new TypeError("network error"));
    }
  };
  return new Response(new ReadableStream({ pull: read, cancel: () => reader.cancel() }), { status, headers });
};

export const attack: Attack = {
  id: "clients-06",
  title: "A page that lost its connection shows half an answer as ready, because the run has ended meanwhile",
  state: "held",
  guard: {
    file: "packages/sse/test/dialects/ai-sdk/ai-sdk-return.test.ts",
    title: "has no half answer after a lost connection, when the run %s",
  },
  attempt: () =>
    withAiSdk(async (version) => {
      const model = scriptedModel([{ text, deltas: 40, delayPerEventMs: 5 }]);
      const served = await serve(model, { dialect: aiSdk() });
      const page = chat(version, served, { id: "c", fetch: likeBrowser });
      const writing = page.sendMessage({ text: "Write" });
      await comesAbout(() => textOf(page.messages.at(-1)).startsWith("word"));
      for (const socket of served.sockets) socket.destroy();
      await writing;
      const [session] = await served.store.sessions.list({ userId: "ada" });
      const isOver = async () => !(await served.runtime.view(session?.id ?? "", { userId: "ada" })).run?.open;
      await comesAbout(isOver);
      await page["~resumeStreamIfDisconnected"]();
      const shown = textOf(page.messages.at(-1));
      return mustHold(
        shown === text && page.status === "ready",
        `${page.status}: ${shown.length} of ${text.length}`,
      );
    }),
};
