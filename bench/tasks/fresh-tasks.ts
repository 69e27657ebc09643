/**
 * Forty tasks over the workshop, the desk and the built-ins, written on 2026-11-18 before any of them was sent. The first twenty were
 * sent once that day and may be looked at. The second twenty are held out and were not sent yet: send them once, after a repair.
 */
import { ANY, type DeskTask } from "./tasks.ts";

const to = (
  task: string,
  capability: string,
  tool: string,
  payload: NonNullable<DeskTask["payload"]>,
): DeskTask => ({ task, expected: [capability, tool], payload });

export const LOOKED_AT: readonly DeskTask[] = [
  to("make a qr code for https://example.org/menu and save it as menu.png", "qrcode", "encode", {
    data: "https://example.org/menu",
    output: "menu.png",
  }),
  to("cut 30 seconds out of interview.mp3 starting at second 90", "audio", "trim", {
    input: "interview.mp3",
    start_seconds: 90,
    length_seconds: 30,
  }),
  to("transcribe standup.wav with timestamps", "audio", "transcribe", {
    input: "standup.wav",
    timestamps: true,
  }),
  to("convert talk.wav to mp3 at 192 kbps", "audio", "convert-audio", {
    input: "talk.wav",
    format: "mp3",
    bitrate_kbps: 192,
  }),
  to('back up the folder /projects/site without "node_modules" and "*.log"', "backups", "backup", {
    folder: "/projects/site",
    exclude: ["node_modules", "*.log"],
  }),
  to("log 3.5 hours on project Atlas for yesterday", "timesheet", "log-hours", {
    project: "Atlas",
    hours: 3.5,
    date: "2026-03-01",
  }),
  to("how many hours did I work between 2026-02-01 and 2026-02-28?", "timesheet", "report-hours", {
    from: "2026-02-01",
    to: "2026-02-28",
  }),
  to("book the room Cedar for tomorrow at 15:00 with a projector", "room_bookings", "createBooking", {
    room: "Cedar",
    date: "2026-03-03",
    start: "15:00",
    projector: true,
  }),
  to("cancel booking BK-2207", "room_bookings", "cancelBooking", { bookingId: "BK-2207" }),
  to("where is my parcel 00340434161094?", "parcels", "trackParcel", { trackingNumber: "00340434161094" }),
  to("what does it cost to send a parcel of 4 kg to Norway?", "parcels", "shippingRate", {
    country: "Norway",
    weight_kg: 4,
  }),
  to("schick ein Paket von 2,5 kg an Lena Vogt in Hamburg, express", "parcels", "sendParcel", {
    recipient_name: "Lena Vogt",
    city: "Hamburg",
    weight_kg: 2.5,
    service: "express",
  }),
  to(
    "übersetze angebot.docx ins Englische und speichere es als offer.docx",
    "translator",
    "translate-document",
    {
      input: "angebot.docx",
      target_lang: "en",
      output: "offer.docx",
    },
  ),
  to("compara contrato-v1.pdf con contrato-v2.pdf", "legal", "compare", {
    original: "contrato-v1.pdf",
    modified: "contrato-v2.pdf",
  }),
  to("rappelle-moi d'appeler le notaire le 12 mars", "reminders", "set-reminder", {
    text: "appeler le notaire",
    date: "2026-03-12",
  }),
  to(
    "write an email to lena@example.org with subject Offer and body See you on Friday",
    "mail",
    "send-mail",
    {
      to: "lena@example.org",
      subject: "Offer",
      body: "See you on Friday",
    },
  ),
  to("add an event named Quarterly review next Thursday at 9:30 for 90 minutes", "calendar", "create-event", {
    title: "Quarterly review",
    date: "2026-03-05",
    time: "09:30",
    duration_minutes: 90,
  }),
  to("save the text buy oat milk to /lists/shopping.txt", "session_file_system", "write_file", {
    path: "/lists/shopping.txt",
    content: "buy oat milk",
  }),
  to("add a contact called Ana Ruiz with phone +34 600 123 456", "contacts", "add-contact", {
    name: "Ana Ruiz",
    phone: "+34 600 123 456",
  }),
  to("把 report.pdf 转换成 markdown", "documents", "convert-to-markdown", { input_path: "report.pdf" }),
];

export const HELD_OUT: readonly DeskTask[] = [
  to("generate a 400 pixel QR code of the text Table 12", "qrcode", "encode", {
    data: "Table 12",
    size: 400,
  }),
  to(
    "from podcast.flac take the 45 seconds that start at second 600 and save them to teaser.flac",
    "audio",
    "trim",
    {
      input: "podcast.flac",
      start_seconds: 600,
      length_seconds: 45,
      output: "teaser.flac",
    },
  ),
  to("write down what is said in /recordings/call.ogg, it is in Spanish", "audio", "transcribe", {
    input: "/recordings/call.ogg",
    language: "es",
  }),
  to("save lecture.ogg as flac", "audio", "convert-audio", { input: "lecture.ogg", format: "flac" }),
  to("do a dry run of a backup of /photos", "backups", "backup", { folder: "/photos", dry_run: true }),
  to("restore the backup bk-2026-02-11 into /photos", "backups", "restore", {
    backup_id: "bk-2026-02-11",
    target: "/photos",
  }),
  to("I worked 6 hours on Borealis last Friday, please log it", "timesheet", "log-hours", {
    project: "Borealis",
    hours: 6,
    date: "2026-02-27",
  }),
  to("show the hours from February 16 to February 20 on the project Atlas", "timesheet", "report-hours", {
    from: "2026-02-16",
    to: "2026-02-20",
    project: "Atlas",
  }),
  to(
    "reserve a meeting room called Maple on March 10 at 10:15 for 8 people",
    "room_bookings",
    "createBooking",
    {
      room: "Maple",
      date: "2026-03-10",
      start: "10:15",
      seats: 8,
    },
  ),
  to("which room bookings are there on Wednesday?", "room_bookings", "listBookings", { date: "2026-03-04" }),
  to("send a fragile parcel of 1.2 kg to Tom Baker in Leeds", "parcels", "sendParcel", {
    recipient_name: "Tom Baker",
    city: "Leeds",
    weight_kg: 1.2,
    fragile: true,
  }),
  to("wo ist das Paket JD014600006281?", "parcels", "trackParcel", { trackingNumber: "JD014600006281" }),
  to("konvertiere foto.png in webp", "images", "convert-image", { path: "foto.png", format: "webp" }),
  to("traduce «¿dónde está la estación?» al alemán", "translator", "translate-text", {
    text: "¿dónde está la estación?",
    target_language: "de",
  }),
  to("crée une facture de 320 euros pour le client Dupont", "invoices", "create-invoice", {
    customer: "Dupont",
    amount: 320,
    currency: "EUR",
  }),
  to("open a ticket: the export button does nothing", "tickets", "open-ticket", {
    title: "the export button does nothing",
  }),
  to("find mails from paul@example.net about the lease since January 15", "mail", "search-mail", {
    query: "lease",
    from: "paul@example.net",
    since: "2026-01-15",
  }),
  to("merge jan.pdf, feb.pdf and mar.pdf into quarter.pdf", "documents", "merge-pdf", {
    files: ["jan.pdf", "feb.pdf", "mar.pdf"],
    output: "quarter.pdf",
  }),
  to("東京の天気を教えて", "test_weather", "get_weather", { city: "Tokyo" }),
  to("research the history of lighthouses in Brittany", "research.deep", "research_deep", { query: ANY }),
];
