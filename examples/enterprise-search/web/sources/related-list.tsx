import { SourceIcon } from "../base/icons.tsx";
import type { RelatedDocument } from "../base/server.ts";
import { clipped, dayOf } from "../base/words.ts";
import { useSearching } from "../state/searching.ts";

/** Documents that an opened one belongs to or refers to. Each opens in its place. */
export function RelatedList({ title, documents }: { title: string; documents: readonly RelatedDocument[] }) {
  const { sources } = useSearching();
  if (documents.length === 0) return null;
  return (
    <section className="es-related" data-testid="es-related">
      <h4>{title}</h4>
      <ul>
        {documents.map((one) => (
          <li key={one.id}>
            <button
              type="button"
              className="es-source"
              data-testid="es-related-row"
              onClick={() => sources.follow(one.id)}
            >
              <SourceIcon source={one.source} />
              <span className="es-source-title">{clipped(one.title, 200)}</span>
              <span className="es-source-facts">
                {clipped(one.owner.name, 60)} · {dayOf(one.at)}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
