/** What a thing is called in the languages that tasks are read in, by the English noun of a parameter's name. */
const NOUNS: Readonly<Record<string, string>> = {
  project: "Projekt|proyecto|projet|projeto",
  room: "Raum|Zimmer|Besprechungsraum|sala|salle|habitación",
  customer: "Kunden?|Kundin|cliente|client",
  client: "Kunden?|Kundin|cliente",
  service: "Dienst|servicio|serviço",
  team: "Team|equipo|équipe|equipe|time",
  channel: "Kanal|canal",
  contact: "Kontakt|contacto|contato",
  company: "Firma|empresa|société|entreprise",
  card: "Karte|tarjeta|carte|cartão",
  list: "Liste|lista",
  board: "Tafel|tablero|tableau|quadro",
  message: "Nachricht|mensaje|mensagem",
  order: "Bestellung|pedido|commande|encomenda",
  invoice: "Rechnung|factura|facture|fatura",
  booking: "Buchung|reserva|réservation",
  user: "Benutzer|usuario|utilisateur|usuário",
  event: "Termin|evento|événement",
  task: "Aufgabe|tarea|tâche|tarefa",
  note: "Notiz|nota",
  record: "Datensatz|registro|enregistrement",
  table: "Tabelle|tabla|tabela",
  document: "Dokument|documento",
  ticket: "Vorgang|incidencia|chamado",
  branch: "Zweig|rama|branche|ramo",
};

export const spokenNoun = (noun: string): string =>
  [noun, NOUNS[noun.toLowerCase()]].filter(Boolean).join("|");
