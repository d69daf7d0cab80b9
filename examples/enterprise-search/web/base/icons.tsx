const PATHS: ReadonlyMap<string, string> = new Map([
  ["gmail", "M3.5 6.5h17v11h-17zM3.5 7l8.5 6.5L20.5 7"],
  ["slack", "M9.5 4 8 20M16 4l-1.5 16M4.5 9h16M3.5 15h16"],
  ["calendar", "M4 6h16v14H4zM4 10h16M8.5 3.5v4M15.5 3.5v4"],
  ["drive", "M6.5 3.5h7l4 4v13h-11zM13.5 3.5v4h4"],
  ["people", "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM4.5 20.5c.6-4 3.6-6 7.5-6s6.9 2 7.5 6"],
]);

/** The picture of a source. */
export function SourceIcon({ source }: { source: string }) {
  return (
    <svg className="es-icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS.get(source) ?? "M5 5h14v14H5z"} />
    </svg>
  );
}

/** A person's initials in a circle. The name is beside it. */
export function Avatar({ initials, name }: { initials?: string | undefined; name: string }) {
  return (
    <span className="es-avatar" aria-hidden="true">
      {(initials || initialsOf(name)).slice(0, 2)}
    </span>
  );
}

function initialsOf(name: string): string {
  const words = name.split(/\s+/).filter((word) => word !== "");
  return [words[0], words.length > 1 ? words.at(-1) : ""].map((word) => [...(word ?? "")][0] ?? "").join("");
}
