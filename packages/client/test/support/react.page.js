// A page with one conversation. A test says by `change()` what it shows, and speaks through `agent`.
import { Activity, createElement, StrictMode, useState } from "react";
import { createRoot } from "react-dom/client";
import { sessionInUrl } from "../../src/index.ts";
import { useAgent, useHeld, useSessions } from "../../src/react.ts";

const headers = { authorization: "Bearer ada" };

function Talk({ sessionId, busy }) {
  const agent = useAgent({ url: "/api/coach", headers, sessionId });
  const held = useHeld(busy, 200);
  globalThis.agent = agent;
  const said = agent.messages.map(({ text }) => text).join("|");
  return createElement("p", null, `${agent.phase} ${agent.connection} ${said}${held ? " busy" : ""}`);
}

/** A page that keeps its session in its address, and lists all sessions. */
function Keeping() {
  const agent = useAgent({ url: "/api/coach", headers, ...sessionInUrl() });
  const { sessions, error } = useSessions(agent);
  globalThis.agent = agent;
  const said = agent.messages.map(({ text }) => text).join("|");
  const titles = error?.code ?? sessions?.map(({ title, status }) => `${title} (${status})`).join(", ");
  return createElement("p", null, `${agent.phase}: ${said} # ${titles}`);
}

function Page() {
  const [shown, set] = useState({ mounted: true, mode: "visible", busy: false });
  globalThis.change = (change) => set((before) => ({ ...before, ...change }));
  if (!shown.mounted) return null;
  const { mode, ...rest } = shown;
  return createElement(Activity, { mode }, createElement(Talk, rest));
}

const shown = location.hash === "#keeping" ? Keeping : Page;
createRoot(document.body).render(createElement(StrictMode, null, createElement(shown)));
