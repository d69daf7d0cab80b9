import { memoryStore, runtime } from "@pawl/core";

const store = memoryStore();
const get = async () => {
  throw new Error("no database");
};

export const pawl = runtime({ agents: [], store: { ...store, sessions: { ...store.sessions, get } } });
