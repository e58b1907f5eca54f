// What is said in English: pages of other servers.

export const embedded = {
  appId: 'Id of the application that is registered there for this portal',
  appSecret: 'File with the secret of that application; it stays on the server',
  httpError: 'HTTP-Error: {{status}}',
  loadingEmbed: 'Loading embed...',
  noEmbedUrl: 'The reports page has no embed URL: set reportsEmbedUrl in the configuration of the utility.',
  notToBeFramed: 'The address in the configuration cannot be shown here: it has to begin with https:// and be another server’s.',
  powerBiNotConfigured: 'No report is embedded here yet. An administrator of the server sets:',
  reportId: 'Id of the report. Its model needs a role that filters by the client id of the identity',
  reports: 'Reports',
  reportsEmbedUrl: 'Address of the page with the utility’s reports; its host must be among those that may be framed',
  reportsNotConfigured: 'No page of reports is configured yet. An administrator sets it for the utility:',
  tenantId: 'Id of the organisation in Microsoft Entra',
  workspaceId: 'Id of the workspace that the report is in',
} as const;
