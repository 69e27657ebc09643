/**
 * A second catalog for fresh tasks: two OpenAPI documents as a service publishes them, read by the same loader as an installed one, and
 * four packages with commands. Written on 2026-11-18, before any task was sent to it.
 */
import { type Capability, defineCapability, defineTool, ok, type ToolRisk } from "@capstan/core";
import { readOpenApi } from "@capstan/runtime";
import { z } from "zod";

const tool = (name: string, risk: ToolRisk, description: string, shape: Record<string, z.ZodType>) =>
  defineTool({ name, description, risk, input: z.object(shape), run: () => ok({}) });
const text = (description: string) => z.string().describe(description);
const flag = (description: string) => z.boolean().default(false).describe(description);

const packages: readonly Capability[] = [
  defineCapability({
    id: "qrcode",
    name: "QR Code",
    description: "Draw QR codes.",
    category: "Packages",
    tools: [
      tool("encode", "write", "Draw a QR code of a text or a link.", {
        data: text("What the code contains."),
        output: text("Path of the picture.").optional(),
        size: z.int().optional().describe("Edge length in pixels."),
      }),
    ],
  }),
  defineCapability({
    id: "audio",
    name: "Audio",
    description: "Cut, convert and transcribe recordings.",
    category: "Packages",
    tools: [
      tool("trim", "write", "Cut a part out of a recording.", {
        input: text("Path of the recording."),
        start_seconds: z.number().describe("Where the part starts, in seconds."),
        length_seconds: z.number().describe("How long the part is, in seconds."),
        output: text("Path of the part.").optional(),
      }),
      tool("transcribe", "read", "Write down what is said in a recording.", {
        input: text("Path of the recording."),
        language: text("Language spoken, as ISO 639-1 code.").optional(),
        timestamps: flag("Put the time before each line."),
      }),
      tool("convert-audio", "write", "Save a recording in another format.", {
        input: text("Path of the recording."),
        format: z.enum(["mp3", "wav", "flac", "ogg"]),
        bitrate_kbps: z.int().optional().describe("Bit rate in kbit/s."),
      }),
    ],
  }),
  defineCapability({
    id: "backups",
    name: "Backups",
    description: "Copy folders to a safe place and bring them back.",
    category: "Packages",
    tools: [
      tool("backup", "write", "Back up a folder.", {
        folder: text("The folder."),
        exclude: z.array(z.string()).optional().describe("Patterns of files to leave out."),
        dry_run: flag("Only show what would be copied."),
      }),
      tool("restore", "irreversible", "Restore a backup over the present files.", {
        backup_id: text("Id of the backup."),
        target: text("Folder to restore into.").optional(),
      }),
    ],
  }),
  defineCapability({
    id: "timesheet",
    name: "Timesheet",
    description: "Record working hours and report them.",
    category: "Productivity",
    tools: [
      tool("log-hours", "write", "Record hours on a project.", {
        project: text("Name of the project."),
        hours: z.number().describe("Hours worked."),
        date: z.iso.date().optional().describe("The day; today when left out."),
        comment: text("What was done.").optional(),
      }),
      tool("report-hours", "read", "Sum up the hours between two days.", {
        from: z.iso.date().describe("First day."),
        to: z.iso.date().describe("Last day."),
        project: text("Only this project.").optional(),
      }),
    ],
  }),
];

const json = (schema: unknown) => ({ required: true, content: { "application/json": { schema } } });
const answered = { 200: { description: "Done." } };
const query = (name: string, schema: unknown, description: string) => ({
  name,
  in: "query",
  schema,
  description,
});

const bookings = {
  openapi: "3.1.0",
  info: {
    title: "Room Bookings",
    version: "2.0.0",
    description: "Meeting rooms of the office and who uses them.",
  },
  servers: [{ url: "https://rooms.example/v2" }],
  paths: {
    "/bookings": {
      get: {
        operationId: "listBookings",
        summary: "List the bookings of a day.",
        parameters: [
          { ...query("date", { type: "string", format: "date" }, "The day."), required: true },
          query("room", { type: "string" }, "Only this room."),
        ],
        responses: answered,
      },
      post: {
        operationId: "createBooking",
        summary: "Book a meeting room.",
        requestBody: json({
          type: "object",
          required: ["room", "date", "start"],
          properties: {
            room: { type: "string", description: "Name of the room." },
            date: { type: "string", format: "date" },
            start: { type: "string", description: "Start, as HH:MM." },
            seats: { type: "integer", description: "How many people come." },
            projector: { type: "boolean", description: "Whether a projector is needed." },
          },
        }),
        responses: answered,
      },
    },
    "/bookings/{bookingId}": {
      delete: {
        operationId: "cancelBooking",
        summary: "Cancel the booking of a room.",
        parameters: [{ name: "bookingId", in: "path", required: true, schema: { type: "string" } }],
        responses: answered,
      },
    },
  },
};

const parcels = {
  openapi: "3.0.3",
  info: { title: "Parcels", version: "1.4.0", description: "Send parcels and follow them." },
  servers: [{ url: "https://parcels.example" }],
  paths: {
    "/parcels": {
      post: {
        operationId: "sendParcel",
        summary: "Order the pick-up of a parcel.",
        requestBody: json({
          type: "object",
          required: ["recipient_name", "city", "weight_kg"],
          properties: {
            recipient_name: { type: "string", description: "Who gets the parcel." },
            city: { type: "string", description: "City of the recipient." },
            weight_kg: { type: "number", description: "Weight in kilograms." },
            service: { type: "string", enum: ["standard", "express", "overnight"], default: "standard" },
            fragile: { type: "boolean", description: "Handle with care." },
          },
        }),
        responses: answered,
      },
    },
    "/parcels/{trackingNumber}": {
      get: {
        operationId: "trackParcel",
        summary: "Say where a parcel is.",
        parameters: [{ name: "trackingNumber", in: "path", required: true, schema: { type: "string" } }],
        responses: answered,
      },
    },
    "/rates": {
      get: {
        operationId: "shippingRate",
        summary: "What it costs to send a parcel.",
        parameters: [
          { ...query("country", { type: "string" }, "Country of the recipient."), required: true },
          { ...query("weight_kg", { type: "number" }, "Weight in kilograms."), required: true },
        ],
        responses: answered,
      },
    },
  },
};

export const workshop: readonly Capability[] = [...packages, ...[bookings, parcels].map(imported)];

function imported(document: unknown): Capability {
  const read = readOpenApi(document);
  if (!read.ok) throw new Error(read.failure.message);
  return read.value;
}
