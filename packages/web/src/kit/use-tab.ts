import { useLocation, useParams } from "wouter";

/** The tab in the URL after `place`, or the first if it is unknown; and a function to change it. */
export function useTab<Name extends string>(
  place: string,
  tabs: readonly [{ readonly name: Name }, ...{ readonly name: Name }[]],
): [Name, (name: Name) => void] {
  const { tab } = useParams<{ tab?: string }>();
  const [, go] = useLocation();
  const { name: current } = tabs.find(({ name }) => name === tab) ?? tabs[0];
  return [current, (name) => go(`${place}/${name}`, { replace: true })];
}
