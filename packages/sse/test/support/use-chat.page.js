// The page of the README, for version 6 or 7: /page.html?version=7. `?own` leaves the chat to useChat, as version 7 allows.
import { Chat as Chat7, useChat as useChat7 } from "@ai-sdk/react";
import { Chat as Chat6, useChat as useChat6 } from "@ai-sdk/react-3";
import { DefaultChatTransport as Transport7 } from "ai";
import { DefaultChatTransport as Transport6 } from "ai-6";
import { createElement as h, StrictMode, useState } from "react";
import { createRoot } from "react-dom/client";
import { answersAreComplete, isLost } from "../../../client/src/ai-sdk.ts";

const asked = new URLSearchParams(location.search);
const [Chat, useChat, Transport] =
  asked.get("version") === "6" ? [Chat6, useChat6, Transport6] : [Chat7, useChat7, Transport7];
const headers = { authorization: "Bearer ada" };
const id = "c";
const { messages } = await (await fetch(`/api/coach/runs/${id}`, { headers })).json();
const transport = new Transport({ api: "/api/coach/runs", headers });
const options = { id, messages, transport, sendAutomaticallyWhen: answersAreComplete };

function useOwnChat() {
  const [chat] = useState(() => new Chat(options));
  return useChat({ chat, resume: true });
}

const useTalk = asked.has("own") ? () => useChat({ ...options, resume: true }) : useOwnChat;

function Part({ part, answer }) {
  if (part.type === "text") return isLost(part) ? null : h("p", null, part.text);
  if (part.type === "tool-confirm" && part.state === "input-available") {
    const say = (yes) => () => answer({ tool: "confirm", toolCallId: part.toolCallId, output: { yes } });
    return h(
      "fieldset",
      null,
      h("legend", null, part.input.question),
      h("button", { type: "button", onClick: say(true) }, "Yes"),
      h("button", { type: "button", onClick: say(false) }, "No"),
    );
  }
  return part.type.startsWith("tool-") ? h("small", null, `${part.type.slice(5)} ${part.state}`) : null;
}

function Page() {
  const talk = useTalk();
  const [text, setText] = useState("");
  const { status, error } = talk;
  const isBusy = status === "submitted" || status === "streaming";
  const send = (event) => {
    event.preventDefault();
    setText("");
    void talk.sendMessage({ text });
  };
  const stop = () => fetch(`/api/coach/sessions/${id}/stop`, { method: "POST", headers });
  return h(
    "main",
    null,
    talk.messages.map((message) =>
      h(
        "article",
        { key: message.id, className: message.role },
        message.parts.map((part, at) => h(Part, { key: String(at), part, answer: talk.addToolOutput })),
      ),
    ),
    error &&
      h(
        "div",
        { role: "alert" },
        error.message,
        h("button", { type: "button", onClick: () => void talk.regenerate() }, "Retry"),
      ),
    h(
      "form",
      { onSubmit: send },
      h("input", { "aria-label": "Message", value: text, onChange: (event) => setText(event.target.value) }),
      isBusy
        ? h("button", { type: "button", onClick: stop }, "Stop")
        : h("button", { type: "submit" }, "Send"),
    ),
    h("output", null, status),
  );
}

createRoot(document.body).render(h(StrictMode, null, h(Page)));
