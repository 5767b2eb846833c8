-- Moves lie in months by the day on which their deal began, before anything guards or names them.
SELECT core_partition_by_month('tables_move', 'dealt_on');
