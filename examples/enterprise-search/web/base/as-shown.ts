/** Names the person that the page shows. */
const SHOWN = "x-search-as";
/** The status of a request that the server refuses for another person, among others. */
const CONFLICT = 409;

/** Sends the requests of a page that shows a person. */
export interface AsShown {
  /**
   * Sends a request of the conversation. It names the person that the page shows; the server refuses it if
   * another tab has chosen somebody else.
   */
  fetch: typeof fetch;
  /** Sets the person that the page shows. */
  shows(email: string | undefined): void;
  /** Calls `listener` after such a refusal. Returns a function that ends this. */
  onOtherPerson(listener: () => void): () => void;
}

export function asShown(): AsShown {
  const listeners = new Set<() => void>();
  let shown: string | undefined;
  return {
    fetch: async (input, init) => {
      const headers = new Headers(init?.headers);
      if (shown !== undefined) headers.set(SHOWN, encodeURIComponent(shown));
      const response = await fetch(input, { ...init, headers });
      // Other conflicts only read the person once more.
      if (response.status === CONFLICT) for (const listener of listeners) listener();
      return response;
    },
    shows: (email) => {
      shown = email;
    },
    onOtherPerson: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
