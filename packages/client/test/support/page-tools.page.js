// A page whose tools change with each rendering. A test speaks through `agent`.
import { createElement, StrictMode, useEffect, useState } from "react";
import { createRoot } from "react-dom/client";
import { sessionInUrl } from "../../src/index.ts";
import { useAgent } from "../../src/react.ts";

globalThis.ran = [];

function Page() {
  const [renderings, set] = useState(0);
  useEffect(() => {
    if (renderings < 3) set(renderings + 1);
  }, [renderings]);
  const tools = {
    locate: {
      execute: async (_, { signal }) => {
        globalThis.ran.push(renderings);
        await new Promise((resolve) => {
          globalThis.release = resolve;
          signal.addEventListener("abort", resolve);
          if (!location.hash.includes("wait")) resolve();
        });
        return { city: `Bonn ${renderings}` };
      },
    },
    read_page: { description: "Reads the page.", execute: () => document.title },
  };
  const headers = { authorization: "Bearer ada" };
  const agent = useAgent({ url: "/api/coach", headers, tools, ...sessionInUrl() });
  globalThis.agent = agent;
  const said = agent.messages.map(({ text }) => text).join("|");
  return createElement("p", null, `${agent.phase} ${agent.pending.length} ${said}`);
}

createRoot(document.body).render(createElement(StrictMode, null, createElement(Page)));
