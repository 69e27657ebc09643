/** The size of someone's share, relative to others of weight 1. */
import { z } from "zod";

export const Weight = z.number().min(0.1).max(100);
