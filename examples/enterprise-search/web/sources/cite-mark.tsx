import { dayOf } from "../base/words.ts";
import { idsIn } from "../runs/citations.ts";
import { useSearching } from "../state/searching.ts";
import { moveAmongCites } from "./move.ts";
import { useNumbers } from "./numbers.ts";

/** A citation in a text, as numbered marks that open their sources. */
export function CiteMark({ text }: { text: string }) {
  return (
    <span className="es-cites">
      {idsIn(text).map((id) => (
        <Mark key={id} id={id} />
      ))}
    </span>
  );
}

function Mark({ id }: { id: string }) {
  const { found, sources } = useSearching();
  const number = useNumbers().get(id);
  const one = found.get(id);
  const about = one === undefined ? "" : `: ${one.title}, ${one.owner}, ${dayOf(one.at)}`;
  return (
    <button
      type="button"
      className="es-cite"
      data-cite={id}
      data-testid="es-cite"
      aria-label={`Source ${number ?? ""}${about}`}
      aria-pressed={sources.current?.id === id}
      tabIndex={number === 1 ? 0 : -1}
      onKeyDown={moveAmongCites}
      onClick={({ currentTarget }) => sources.open(id, currentTarget)}
    >
      {number ?? "?"}
    </button>
  );
}
