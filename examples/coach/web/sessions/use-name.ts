import { useCallback, useState } from "react";

const KEY = "pawl.coach.name";

/** Keeps the user's name in this browser. Without storage, it lasts as long as the page. */
export function useName(): [name: string, setName: (name: string) => void] {
  const [name, setName] = useState(read);
  const keep = useCallback((changed: string) => {
    setName(changed);
    try {
      localStorage.setItem(KEY, changed);
    } catch {
      // The storage is full or forbidden.
    }
  }, []);
  return [name, keep];
}

function read(): string {
  try {
    return localStorage.getItem(KEY) ?? "";
  } catch {
    return "";
  }
}
