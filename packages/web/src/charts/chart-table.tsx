interface ChartTableProps {
  title: string;
  labels: readonly string[];
  series: readonly { readonly name: string; readonly values: readonly (number | null)[] }[];
  format: (value: number) => string;
}

/** A chart's numbers, collapsed by default. */
export function ChartTable({ title, labels, series, format }: ChartTableProps) {
  return (
    <details className="text-xs text-ink-soft">
      <summary className="w-fit rounded-sm">Show the numbers</summary>
      <div className="mt-2 max-h-48 overflow-auto">
        <table className="numbers w-full text-left">
          <caption className="sr-only">{title}</caption>
          <thead>
            <tr>
              <th className="py-1 pr-4 font-medium">Time</th>
              {series.map(({ name }) => (
                <th key={name} className="py-1 pr-4 font-medium">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {labels.map((label, index) => (
              <tr key={label}>
                <td className="py-0.5 pr-4">{label}</td>
                {series.map(({ name, values }) => {
                  const value = values[index];
                  return <td key={name}>{value == null ? "none" : format(value)}</td>;
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
