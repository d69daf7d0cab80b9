import { memoryStore, runtime } from "@pawl/core";
import { COMPANY_NOW, type SearchDeps, searchAgent, searchRules } from "@pawl/example-enterprise-search";
import { strictModel } from "@pawl/testing";
import { RateLimiterMemory } from "rate-limiter-flexible";
import { playgroundApp } from "../../server/app.ts";
import { searchIndex } from "../../server/search.ts";
import { searchPeople } from "../../server/search-people.ts";

/** Serves the search agent as the playground does, with a small company. */
export function servedSearch(dir: string, { points = 1_000, speed = Number.POSITIVE_INFINITY } = {}) {
  const model = strictModel({ rules: searchRules({ speed }) });
  const store = memoryStore();
  const errors: unknown[] = [];
  const onError = (error: unknown) => void errors.push(error);
  const index = searchIndex({ dir, documents: 1_000, onError });
  const pawl = runtime<SearchDeps>({
    agents: [searchAgent({ model, now: () => COMPANY_NOW })],
    store,
    deps: () => ({ search: index.search }),
  });
  const app = playgroundApp({
    runtime: pawl,
    agents: [],
    search: { index, people: searchPeople(), rateLimit: new RateLimiterMemory({ points, duration: 60 }) },
    info: { model: model.id, simulated: true },
    host: "127.0.0.1",
    webDir: import.meta.dirname,
    onError,
  });
  /** Creates a browser, which keeps its cookies. */
  const browser = (cookies: Record<string, string> = {}) => {
    const jar = new Map(Object.entries(cookies));
    const ask = async (path: string, { json, ...init }: RequestInit & { json?: unknown } = {}) => {
      const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
      const sent = json === undefined ? {} : { method: "POST", body: JSON.stringify(json) };
      const headers = { "content-type": "application/json", ...(cookie && { cookie }), ...init.headers };
      const response = await app.fetch(
        new Request(`http://localhost:4321/api/${path}`, { ...sent, ...init, headers }),
      );
      for (const set of response.headers.getSetCookie()) {
        const [name = "", value = ""] = set.split(";")[0]?.split("=") ?? [];
        jar.set(name, value);
      }
      return { status: response.status, headers: response.headers, text: await response.text() };
    };
    return {
      ask,
      get: async (path: string) => JSON.parse((await ask(path)).text),
      be: async (email: unknown) => await ask("search/me", { method: "PUT", json: { email } }),
      say: async (input: string, more: object = {}) => {
        const { headers, text, status } = await ask("search/runs", { json: { input, ...more } });
        return { status, text, id: headers.get("x-pawl-session") ?? "" };
      },
    };
  };
  return { browser, index, model, store, errors };
}
