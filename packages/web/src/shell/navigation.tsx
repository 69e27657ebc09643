import Blocks from "lucide-react/icons/blocks";
import Bot from "lucide-react/icons/bot";
import Brain from "lucide-react/icons/brain";
import CalendarClock from "lucide-react/icons/calendar-clock";
import ChartColumn from "lucide-react/icons/chart-column";
import FlaskConical from "lucide-react/icons/flask-conical";
import History from "lucide-react/icons/history";
import House from "lucide-react/icons/house";
import Inbox from "lucide-react/icons/inbox";
import MessageSquare from "lucide-react/icons/message-square";
import Package from "lucide-react/icons/package";
import PlugZap from "lucide-react/icons/plug-zap";
import RouteIcon from "lucide-react/icons/route";
import Scale from "lucide-react/icons/scale";
import Settings from "lucide-react/icons/settings";
import SquareTerminal from "lucide-react/icons/square-terminal";
import Wallet from "lucide-react/icons/wallet";
import type { ComponentType } from "react";
import { Link, useLocation } from "wouter";
import { cx } from "../kit/cx.ts";
import { useOpenAlerts, usePendingApprovals } from "../server/use-status.ts";

interface Place {
  readonly href: string;
  readonly label: string;
  readonly icon: ComponentType<{ className?: string }>;
}

export const GROUPS: readonly (readonly Place[])[] = [
  [
    { href: "/", label: "Home", icon: House },
    { href: "/chat", label: "Chat", icon: MessageSquare },
    { href: "/approvals", label: "Approvals", icon: Inbox },
    { href: "/sessions", label: "Sessions", icon: History },
    { href: "/usage", label: "Usage", icon: ChartColumn },
  ],
  [
    { href: "/agents", label: "Agents", icon: Bot },
    { href: "/rules", label: "Rules", icon: Scale },
    { href: "/budgets", label: "Budgets", icon: Wallet },
    { href: "/experiments", label: "Experiments", icon: FlaskConical },
    { href: "/memories", label: "Memory", icon: Brain },
    { href: "/capabilities", label: "Capabilities", icon: Blocks },
    { href: "/route", label: "Route", icon: RouteIcon },
    { href: "/coding-agents", label: "Coding agents", icon: SquareTerminal },
    { href: "/schedules", label: "Schedules", icon: CalendarClock },
    { href: "/packages", label: "Packages", icon: Package },
    { href: "/connections", label: "Connections", icon: PlugZap },
  ],
  [{ href: "/settings", label: "Settings", icon: Settings }],
];

interface NavigationProps {
  /** Only icons, where there is little room. */
  narrow?: boolean;
  onGo?: () => void;
}

export function Navigation({ narrow = false, onGo }: NavigationProps) {
  const badges: Readonly<Record<string, number>> = {
    "/approvals": usePendingApprovals().data?.items.length ?? 0,
    "/experiments": useOpenAlerts(),
  };
  return (
    <nav aria-label="Main" className="flex flex-col gap-5 lg:gap-4">
      {GROUPS.map((places) => (
        <ul key={places[0]?.href} className="flex flex-col gap-0.5">
          {places.map((place) => (
            <li key={place.href}>
              <NavigationLink
                place={place}
                narrow={narrow}
                badge={badges[place.href] ?? 0}
                {...(onGo && { onGo })}
              />
            </li>
          ))}
        </ul>
      ))}
    </nav>
  );
}

interface NavigationLinkProps extends NavigationProps {
  place: Place;
  badge: number;
}

function NavigationLink({ place: { href, label, icon: Icon }, narrow, badge, onGo }: NavigationLinkProps) {
  const [location] = useLocation();
  const here = href === "/" ? location === "/" : location === href || location.startsWith(`${href}/`);
  const name = badge > 0 ? `${label}, ${badge} waiting` : label;
  return (
    <Link
      href={href}
      onClick={() => onGo?.()}
      aria-current={here ? "page" : undefined}
      {...(narrow && { "aria-label": name, title: name })}
      className={cx(
        "flex h-9 items-center gap-3 rounded-lg px-3 text-sm transition-colors lg:h-8",
        narrow && "justify-center px-0",
        here ? "bg-accent-soft font-medium text-accent-ink" : "text-ink-soft hover:bg-sunken hover:text-ink",
      )}
    >
      <span className="relative">
        <Icon className="size-4" aria-hidden />
        {narrow && badge > 0 && <span className="absolute -top-1 -right-1 size-2 rounded-full bg-warn" />}
      </span>
      {!narrow && <span className="flex-1">{label}</span>}
      {!narrow && badge > 0 && (
        <span className="numbers rounded-full bg-warn-soft px-1.5 text-xs font-semibold text-warn">
          {badge}
        </span>
      )}
    </Link>
  );
}
