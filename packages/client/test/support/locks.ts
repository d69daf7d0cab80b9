// Node 24 and later have `navigator.locks`, as browsers do. Earlier ones get the part that `@pawl/client` uses.

interface Options {
  ifAvailable?: true;
  signal?: AbortSignal;
}

const taken = new Map<string, Promise<unknown>>();

async function request<R>(
  name: string,
  { ifAvailable, signal }: Options,
  work: (lock: object | null) => Promise<R>,
) {
  if (taken.has(name) && ifAvailable === true) return await work(null);
  while (taken.has(name)) {
    await taken.get(name);
    signal?.throwIfAborted();
  }
  const held = work({ name });
  const freed = held.catch(() => undefined).then(() => void taken.delete(name));
  taken.set(name, freed);
  return await held;
}

if (navigator.locks === undefined)
  Object.defineProperty(navigator, "locks", { value: { request }, configurable: true });
