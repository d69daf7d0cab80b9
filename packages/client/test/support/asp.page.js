// A page over ASP v2. A test says by `change()` what it shows, and speaks through `asp`.
import { createElement, Profiler, StrictMode, useState } from "react";
import { createRoot } from "react-dom/client";
import { sessionInUrl } from "../../src/index.ts";
import { useAsp } from "../../src/react.ts";

globalThis.renders = 0;

function Part({ part }) {
  if (part.type === "thinking")
    return createElement(
      "details",
      null,
      createElement("summary", null, `Thought, ${part.text.length} characters`),
      part.text,
    );
  if (part.type === "tool") return createElement("code", null, `${part.toolName} ${part.phase}`);
  return createElement("span", null, part.text);
}

function Talk() {
  const asp = useAsp({ url: "/api/coach", headers: { authorization: "Bearer ada" }, ...sessionInUrl() });
  globalThis.asp = asp;
  const parts = asp.messages.flatMap(({ id, parts }) =>
    parts.map((part) => createElement(Part, { key: `${id} ${part.key}`, part })),
  );
  const { phase, stopReason = "-", error, runningTools } = asp;
  const tools = Object.values(runningTools).join(",");
  const status = `${phase} ${stopReason} ${error?.code ?? "-"} [${tools}]`;
  return createElement("main", null, createElement("output", null, status), parts);
}

function Page() {
  const [isMounted, setMounted] = useState(true);
  globalThis.change = setMounted;
  const count = () => {
    globalThis.renders += 1;
  };
  return isMounted && createElement(Profiler, { id: "talk", onRender: count }, createElement(Talk));
}

createRoot(document.body).render(createElement(StrictMode, null, createElement(Page)));
