interface AsTableProps {
  /** The table's caption: what the numbers describe. */
  of: string;
  columns: readonly string[];
  rows: readonly (readonly string[])[];
}

/** The numbers of a chart as a table, for screen readers and for exact values. */
export function AsTable({ of, columns, rows }: AsTableProps) {
  return (
    <details className="as-table">
      <summary>
        As a table<span className="unseen">: {of}</span>
      </summary>
      <table>
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
          {rows.map(([head, ...cells]) => (
            <tr key={head}>
              <th scope="row">{head}</th>
              {cells.map((cell, at) => (
                <td key={columns[at + 1]}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
