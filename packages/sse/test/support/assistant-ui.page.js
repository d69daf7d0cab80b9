// The page of docs/guide/assistant-ui.md, out of the parts of the library.
import { Chat, useChat } from "@ai-sdk/react";
import {
  ActionBarPrimitive,
  AssistantRuntimeProvider,
  ComposerPrimitive,
  ErrorPrimitive,
  MessagePrimitive,
  ThreadPrimitive,
  useAssistantTool,
  useAuiState,
} from "@assistant-ui/react";
import { useAISDKRuntime } from "@assistant-ui/react-ai-sdk";
import { DefaultChatTransport } from "ai";
import { createElement as h, StrictMode, useState } from "react";
import { createRoot } from "react-dom/client";
import { answersAreComplete, isLost } from "../../../client/src/ai-sdk.ts";

const headers = { authorization: "Bearer ada" };
const id = "c";
const response = await fetch(`/api/coach/runs/${id}`, { headers });
const { messages } = response.ok ? await response.json() : { messages: [] };
const transport = new DefaultChatTransport({ api: "/api/coach/runs", headers });
const options = { id, messages, transport, sendAutomaticallyWhen: answersAreComplete };

function usePawlRuntime() {
  const [chat] = useState(() => new Chat(options));
  const helpers = useChat({ chat, resume: true });
  const stop = async () => {
    await fetch(`/api/coach/sessions/${id}/stop`, { method: "POST", headers });
  };
  return { status: helpers.status, runtime: useAISDKRuntime({ ...helpers, stop }) };
}

const button = (label, onClick) => h("button", { type: "button", onClick }, label);
const text = (part) => (isLost(part) ? null : h("p", null, part.text));
const source = ({ title, url }) => h("a", { href: url }, title);
const file = ({ mimeType, filename }) => h("small", null, `${mimeType} ${filename ?? ""}`);
const data = ({ name, data: value }) => h("small", null, `${name} ${JSON.stringify(value)}`);

function Confirm({ args, result, isError, addResult }) {
  if (isError) return h("small", null, `refused: ${result.error}`);
  if (result !== undefined) return h("small", null, `answered ${JSON.stringify(result)}`);
  const buttons = [true, false].map((yes) => button(yes ? "Yes" : "No", () => addResult({ yes })));
  return h("fieldset", null, h("legend", null, args.question), ...buttons);
}

function Look({ toolName, result, isError, approval, respondToApproval }) {
  if (approval !== undefined && approval.approved === undefined)
    return h(
      "fieldset",
      null,
      h("legend", null, `Allow ${toolName}?`),
      button("Allow", () => respondToApproval({ approved: true })),
      button("Deny", () => respondToApproval({ approved: false })),
    );
  const outcome = isError
    ? `failed: ${result.error}`
    : result === undefined
      ? "runs"
      : JSON.stringify(result);
  return h("small", null, `${toolName} ${outcome}`);
}

const components = {
  Text: text,
  Source: source,
  File: file,
  data: { Fallback: data },
  tools: { by_name: { confirm: Confirm, soon: Confirm }, Fallback: Look },
};

function Message() {
  const role = useAuiState((state) => state.message.role);
  return h(
    MessagePrimitive.Root,
    null,
    h(
      "article",
      { className: role },
      h(MessagePrimitive.Attachments, { components: { Attachment: Attached } }),
      h(MessagePrimitive.Parts, { components }),
      h(MessagePrimitive.Error, null, h(ErrorPrimitive.Root, null, h(ErrorPrimitive.Message))),
      role === "assistant" &&
        h(
          ActionBarPrimitive.Root,
          { hideWhenRunning: true, autohide: "never" },
          h(ActionBarPrimitive.Reload, null, "Retry"),
        ),
    ),
  );
}

function Attached() {
  return h("small", null, `attached ${useAuiState((state) => state.attachment.name)}`);
}

function Locate() {
  useAssistantTool({
    toolName: "locate",
    type: "frontend",
    description: "Where the user is.",
    parameters: { type: "object", properties: {} },
    execute: async () => {
      if (location.search === "?lost") throw new Error("No signal.");
      if (location.search === "?slow")
        await new Promise((resolve) => Object.assign(window, { arrive: resolve }));
      return { city: "Oslo" };
    },
  });
  return null;
}

function Page() {
  const { runtime, status } = usePawlRuntime();
  return h(
    AssistantRuntimeProvider,
    { runtime },
    h(Locate),
    h(
      ThreadPrimitive.Root,
      null,
      h(ThreadPrimitive.Messages, { components: { Message } }),
      h(
        ComposerPrimitive.Root,
        null,
        h(ComposerPrimitive.AddAttachment, null, "Attach"),
        h(ComposerPrimitive.Input, { "aria-label": "Message" }),
        h(ComposerPrimitive.Send, null, "Send"),
        h(ComposerPrimitive.Cancel, null, "Stop"),
      ),
    ),
    h("output", null, status),
  );
}

createRoot(document.body).render(h(StrictMode, null, h(Page)));
