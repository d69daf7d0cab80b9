// A page with one conversation. A test says by `change()` what it shows, and speaks through `agent`.
import { Activity, createElement, StrictMode, useEffect, useState } from "react";
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

const inAddress = () => new URL(location.href).searchParams.get("session") ?? undefined;

/** A page whose Back button leads to the conversation before, as docs/guide/sessions-and-reload.md shows. */
function GoingBack() {
  const sessionId = inAddress();
  const agent = useAgent({
    url: "/api/coach",
    headers,
    ...(sessionId !== undefined && { sessionId }),
    onSession: (id) => {
      if (id === inAddress()) return;
      const url = new URL(location.href);
      if (id === undefined) url.searchParams.delete("session");
      else url.searchParams.set("session", id);
      history.pushState(null, "", url);
    },
  });
  const { open } = agent;
  useEffect(() => {
    const goBack = () => open(inAddress());
    addEventListener("popstate", goBack);
    return () => removeEventListener("popstate", goBack);
  }, [open]);
  globalThis.agent = agent;
  return createElement("p", null, `${agent.phase}: ${agent.messages.map(({ text }) => text).join("|")}`);
}

function Page() {
  const [shown, set] = useState({ mounted: true, mode: "visible", busy: false });
  globalThis.change = (change) => set((before) => ({ ...before, ...change }));
  if (!shown.mounted) return null;
  const { mode, ...rest } = shown;
  return createElement(Activity, { mode }, createElement(Talk, rest));
}

const pages = new Map([
  ["#keeping", Keeping],
  ["#going-back", GoingBack],
]);
const shown = pages.get(location.hash) ?? Page;
createRoot(document.body).render(createElement(StrictMode, null, createElement(shown)));
