import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.neo4j.configuration.GraphDatabaseSettings;
import org.neo4j.configuration.connectors.BoltConnector;
import org.neo4j.configuration.connectors.BoltConnector.EncryptionLevel;
import org.neo4j.configuration.connectors.BoltConnectorInternalSettings;
import org.neo4j.configuration.helpers.SocketAddress;
import org.neo4j.configuration.ssl.ClientAuth;
import org.neo4j.configuration.ssl.SslPolicyConfig;
import org.neo4j.configuration.ssl.SslPolicyScope;
import org.neo4j.dbms.api.DatabaseManagementService;
import org.neo4j.dbms.api.DatabaseManagementServiceBuilder;
import org.neo4j.graphdb.GraphDatabaseService;
import org.neo4j.io.ByteUnit;

/**
 * Neo4j for tests, since the artifact brings no program: java Neo4jServer.java HOME PORT CERTIFICATES READY.
 *
 * <p>Bolt on loopback, with a password (the first line of standard input) and TLS where a client asks for it
 * (private.key and public.crt in CERTIFICATES). Makes the file READY when clients can sign in. Ends on SIGTERM.
 */
public final class Neo4jServer {
    private Neo4jServer() {}

    public static void main(String[] given) {
        try {
            serve(given);
        } catch (Exception failure) {
            failure.printStackTrace();
            System.exit(1); // threads of the database would keep the process
        }
    }

    private static void serve(String[] given) throws Exception {
        Path home = Path.of(given[0]);
        SocketAddress address = new SocketAddress("127.0.0.1", Integer.parseInt(given[1]));
        String password = new BufferedReader(new InputStreamReader(System.in)).readLine();
        SslPolicyConfig tls = SslPolicyConfig.forScope(SslPolicyScope.BOLT);
        DatabaseManagementService service = new DatabaseManagementServiceBuilder(home)
                .setConfig(BoltConnector.enabled, true)
                .setConfig(BoltConnector.listen_address, address)
                .setConfig(BoltConnector.advertised_address, address)
                .setConfig(BoltConnectorInternalSettings.thread_pool_shutdown_wait_time, Duration.ofSeconds(1))
                .setConfig(BoltConnectorInternalSettings.connection_shutdown_wait_time, Duration.ofSeconds(1))
                .setConfig(BoltConnector.encryption_level, EncryptionLevel.OPTIONAL)
                .setConfig(tls.enabled, true)
                .setConfig(tls.base_directory, Path.of(given[2]))
                .setConfig(tls.client_auth, ClientAuth.NONE)
                .setConfig(GraphDatabaseSettings.auth_enabled, true)
                .setConfig(GraphDatabaseSettings.pagecache_memory, ByteUnit.mebiBytes(128))
                // Tests search every byte of the folder: no log of zeros.
                .setConfig(GraphDatabaseSettings.preallocate_logical_logs, false)
                .build();
        Runtime.getRuntime().addShutdownHook(new Thread(service::shutdown));
        GraphDatabaseService system = service.database(GraphDatabaseSettings.SYSTEM_DATABASE_NAME);
        // A server that is started again with its data has the password already, and refuses the same one.
        boolean first = system.executeTransactionally(
                "SHOW USERS YIELD passwordChangeRequired", Map.of(), users -> (boolean) users.next().get("passwordChangeRequired"));
        if (first) {
            system.executeTransactionally(
                    "ALTER USER neo4j SET PASSWORD $password CHANGE NOT REQUIRED", Map.of("password", password));
        }
        Files.createFile(Path.of(given[3]));
        Thread.currentThread().join();
    }
}
