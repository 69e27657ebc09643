/** An icon by its lucide name, loaded with its letter when first shown; a box until then and for unknown names. */

import letters, { type IconShape } from "virtual:lucide-letters";
import { useQuery } from "@tanstack/react-query";
import Box from "lucide-react/icons/box";
import { createElement } from "react";
import { cx } from "./cx.ts";

interface CapabilityIconProps {
  name?: string | undefined;
  className?: string;
}

export function CapabilityIcon({ name, className }: CapabilityIconProps) {
  const shape = useIcon(name);
  const classes = cx("size-4 shrink-0", className);
  if (!shape) return <Box className={classes} aria-hidden />;
  return (
    <svg
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={2}
      strokeLinecap="round"
      strokeLinejoin="round"
      className={classes}
      aria-hidden="true"
    >
      {shape.map(([tag, { key, ...attributes }]) => createElement(tag, { ...attributes, key }))}
    </svg>
  );
}

function useIcon(name: string | undefined): IconShape | undefined {
  const letter = name?.charAt(0) ?? "";
  const load = letters[letter];
  const { data } = useQuery({
    queryKey: ["icon", letter],
    queryFn: async () => (load ? (await load()).default : {}),
    enabled: load !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    meta: { local: true },
  });
  return name === undefined ? undefined : data?.[name];
}

/** The icon on its tile, as catalogs and cards show it. */
export function CapabilityTile({ name, className }: CapabilityIconProps) {
  return (
    <span
      className={cx(
        "flex size-9 shrink-0 items-center justify-center rounded-lg bg-accent-soft text-accent-ink",
        className,
      )}
    >
      <CapabilityIcon name={name} />
    </span>
  );
}
