import type { ReactNode } from "react";

/** A row whose cells are more than texts. */
export interface KeyedRow {
  key: string;
  cells: readonly ReactNode[];
}

export interface TableProps {
  /** The table's caption: what the numbers describe. */
  of: string;
  columns: readonly string[];
  /** The rows. The first cells of texts differ. */
  rows: readonly (readonly string[] | KeyedRow)[];
  /** The last row: sums. */
  total?: readonly string[];
}

/** The numbers of a chart as a table, for screen readers and for exact values. */
export function AsTable(props: TableProps) {
  return (
    <details className="as-table">
      <summary>
        As a table<span className="unseen">: {props.of}</span>
      </summary>
      <Table {...props} />
    </details>
  );
}

/** A small table. It scrolls if it is wider than its card. */
export function Table({ of, columns, rows, total }: TableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys scroll a focused region.
    <section className="table-scroll" aria-label={of} tabIndex={0}>
      <table className="number-table">
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) =>
            "cells" in row ? (
              <Row key={row.key} columns={columns} cells={row.cells} />
            ) : (
              <Row key={row[0]} columns={columns} cells={row} />
            ),
          )}
        </tbody>
        {total && (
          <tfoot>
            <Row columns={columns} cells={total} />
          </tfoot>
        )}
      </table>
    </section>
  );
}

function Row({
  columns,
  cells: [head, ...cells],
}: {
  columns: readonly string[];
  cells: readonly ReactNode[];
}) {
  return (
    <tr>
      <th scope="row">{head}</th>
      {cells.map((cell, at) => (
        <td key={columns[at + 1]}>{cell}</td>
      ))}
    </tr>
  );
}
