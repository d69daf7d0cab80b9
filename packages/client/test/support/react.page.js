// A page with one conversation. A test says by `change()` what it shows, and speaks through `agent`.
import { Activity, createElement, StrictMode, useState } from "react";
import { createRoot } from "react-dom/client";
import { useAgent, useHeld } from "../../src/react.ts";

const headers = { authorization: "Bearer ada" };

function Talk({ sessionId, busy }) {
  const agent = useAgent({ url: "/api/coach", headers, sessionId });
  const held = useHeld(busy, 200);
  globalThis.agent = agent;
  const said = agent.messages.map(({ text }) => text).join("|");
  return createElement("p", null, `${agent.phase} ${agent.connection} ${said}${held ? " busy" : ""}`);
}

function Page() {
  const [shown, set] = useState({ mounted: true, mode: "visible", busy: false });
  globalThis.change = (change) => set((before) => ({ ...before, ...change }));
  if (!shown.mounted) return null;
  const { mode, ...rest } = shown;
  return createElement(Activity, { mode }, createElement(Talk, rest));
}

createRoot(document.body).render(createElement(StrictMode, null, createElement(Page)));
