/** A variable of HAProxy's process. The supervisor sets it when it must stop; from then on the template's health check fails. */
export const LEAVING_VARIABLE = 'proc.hawser_leaving';
